-- One text for SQLite and PostgreSQL: only TEXT and BIGINT, moments in milliseconds since 1970, digests in
-- hexadecimal. Whatever is unbounded in time has an indexed moment at which it may be forgotten.

CREATE TABLE registration (
    id TEXT PRIMARY KEY,
    version BIGINT NOT NULL,
    body TEXT NOT NULL,
    claim_token TEXT,
    email TEXT,
    issuer TEXT,
    tenant TEXT,
    subject TEXT,
    forget_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX registration_claim_token ON registration (claim_token);
CREATE INDEX registration_email ON registration (email);
CREATE INDEX registration_subject ON registration (issuer, tenant, subject);
CREATE INDEX registration_forget ON registration (forget_at);

-- What each request with a credential reads: one row by its key.
CREATE TABLE credential (
    digest TEXT PRIMARY KEY,
    registration TEXT NOT NULL REFERENCES registration (id) ON DELETE CASCADE,
    scopes TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at BIGINT,
    revoked_at BIGINT
);
CREATE INDEX credential_registration ON credential (registration);

CREATE TABLE link (
    digest TEXT PRIMARY KEY,
    registration TEXT NOT NULL REFERENCES registration (id) ON DELETE CASCADE,
    seed TEXT NOT NULL
);
CREATE INDEX link_registration ON link (registration);

CREATE TABLE access_link (
    digest TEXT PRIMARY KEY,
    email TEXT NOT NULL,
    locale TEXT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX access_link_email ON access_link (email);
CREATE INDEX access_link_expires ON access_link (expires_at);

CREATE TABLE principal (
    email TEXT PRIMARY KEY,
    created_at BIGINT NOT NULL
);

CREATE TABLE delegation (
    issuer TEXT NOT NULL,
    tenant TEXT NOT NULL,
    subject TEXT NOT NULL,
    email TEXT,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (issuer, tenant, subject)
);
CREATE INDEX delegation_email ON delegation (email);

-- Until when a provider's word for a user is void.
CREATE TABLE watermark (
    issuer TEXT NOT NULL,
    tenant TEXT NOT NULL,
    subject TEXT NOT NULL,
    revoked_before BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (issuer, tenant, subject)
);
CREATE INDEX watermark_expires ON watermark (expires_at);

CREATE TABLE jti (
    issuer TEXT NOT NULL,
    digest TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (issuer, digest)
);
CREATE INDEX jti_expires ON jti (expires_at);

CREATE TABLE outbox (
    id TEXT PRIMARY KEY,
    seed TEXT NOT NULL,
    recipient TEXT NOT NULL,
    letter TEXT NOT NULL,
    tries BIGINT NOT NULL,
    due_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX outbox_due ON outbox (due_at);
CREATE INDEX outbox_recipient ON outbox (recipient);

CREATE TABLE counter (
    bucket TEXT PRIMARY KEY,
    count BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX counter_expires ON counter (expires_at);
