/** Features that a later version may add: computed columns, partitions, and every type of values. */
export const laterTable = `
  create table later (organization_id uuid not null, id uuid not null, slot smallint not null default 0,
    "Odd ""name" text, exact numeric, doubled numeric generated always as (exact * 2) stored, large bigint, bytes bytea,
    day date, at timestamptz, words text[], ids uuid[], document jsonb,
    primary key (organization_id, id, slot)) partition by list (slot);
  create table later_0 partition of later for values in (0);
  create table later_1 partition of later for values in (1)`
export const laterRows = (id: string) => `
  insert into later values
    ('${id}', gen_random_uuid(), 1, e'\\n\\\\"', 12345678901234567890.12345678901234567890, default, 9007199254740993,
      '\\x00ff', '2024-02-29', '2024-02-29T12:00:00.123456Z', '{a,"b,c",null}', array['${id}'::uuid],
      '{"big": 123456789012345678901234567890, "null": null, "list": [1.50, "\\\\"]}'),
    ('${id}', gen_random_uuid(), 0, null, null, default, null, null, null, null, null, null, null)`
