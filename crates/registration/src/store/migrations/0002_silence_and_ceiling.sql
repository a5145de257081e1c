-- What a provider's report ended, so that one that comes again is answered like the first.
ALTER TABLE jti ADD COLUMN ended BIGINT NOT NULL DEFAULT 0;

-- Who wants no more messages: the digest of a mailbox.
CREATE TABLE silence (
    mailbox TEXT PRIMARY KEY,
    created_at BIGINT NOT NULL
);

-- How many registrations there are, counted with each that comes or goes. It is never over.
INSERT INTO counter (bucket, count, expires_at)
    SELECT 'registrations', COUNT(*), 9223372036854775807 FROM registration;
