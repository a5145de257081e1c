-- Counts of requests for the report: no address, no identifier. `name` of search words is a digest; `words` is set once they were
-- used on enough days. `last_day` counts each day once, however many sidecars add to a row.
CREATE TABLE tally (
    month TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    words TEXT,
    count BIGINT NOT NULL,
    days BIGINT NOT NULL,
    last_day TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (month, kind, name)
);
CREATE INDEX tally_expires ON tally (expires_at);
