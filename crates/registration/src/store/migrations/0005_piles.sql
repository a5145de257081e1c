-- Letters with links to what agents hold wait in a pile of their own, and what was tried least comes first.
ALTER TABLE outbox ADD COLUMN pile BIGINT NOT NULL DEFAULT 0;
CREATE INDEX outbox_next ON outbox (pile, tries, due_at);
DROP INDEX outbox_due;
CREATE INDEX outbox_due ON outbox (pile, due_at);
