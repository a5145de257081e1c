-- What is looked through in the order of names has an index in that order, so that a batch of many is found without
-- looking at all of them. Registrations of nobody stand in none of these.
DROP INDEX registration_email;
CREATE INDEX registration_email ON registration (email, id) WHERE email IS NOT NULL;
DROP INDEX registration_subject;
CREATE INDEX registration_subject ON registration (issuer, tenant, subject, id) WHERE issuer IS NOT NULL;
CREATE INDEX registration_issuer ON registration (issuer, id) WHERE issuer IS NOT NULL;
-- A batch that is forgotten ends with one registration and not somewhere among those of the same moment.
DROP INDEX registration_forget;
CREATE INDEX registration_forget ON registration (forget_at, id);
CREATE INDEX watermark_subject ON watermark (subject);
DROP INDEX delegation_email;
CREATE INDEX delegation_email ON delegation (email, issuer, tenant, subject) WHERE email IS NOT NULL;
