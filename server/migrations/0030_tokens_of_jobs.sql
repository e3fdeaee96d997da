-- A job goes on for as long as the token that began it, or one that this was rotated into, may do what the job does. Jobs from before,
-- and those of organizations that were brought in from elsewhere, name none.
alter table bulk_jobs add column token_id text collate "C";
alter table exports add column token_id text collate "C";
alter table imports add column token_id text collate "C";
