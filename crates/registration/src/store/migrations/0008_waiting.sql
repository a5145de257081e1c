-- Since when an email waits. If another version has written it, that is not known, and counts as no time.
ALTER TABLE outbox ADD COLUMN created_at BIGINT NOT NULL DEFAULT 9223372036854775807;
CREATE INDEX outbox_created ON outbox (created_at);
