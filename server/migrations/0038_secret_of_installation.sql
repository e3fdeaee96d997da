-- What the secret of the installation is recognised by, an HMAC of a fixed text: a server with another secret does not start.
-- It is null until the first start.
alter table installation add column secret_mark text;
