-- Who works, where it is not an application: the entry that a request took, where that was not the API, and the user who started a job, by
-- the id of the member.
alter table audit_entries add column entry text collate "C";
alter table bulk_jobs add column started_by uuid;
alter table exports add column started_by uuid;
alter table imports add column started_by uuid;
