import { type Command, Option } from 'commander'

/** Adds the options of `upsert --file` to an upsert command. */
export function addFileOptions(command: Command): void {
  const several = (value: string, before: readonly string[] | undefined) => [...(before ?? []), value]
  command
    .option('--file <path>', 'write the rows of a CSV or NDJSON file, which is read twice')
    .addOption(new Option('--format <format>', 'that of the file, unless its name tells it').choices(['csv', 'ndjson']))
    .option('--delimiter <character>', 'what separates the cells of CSV, such as ; or tab: a comma unless given')
    .option('--key <column>', 'the column with the keys of the records: externalId unless given')
    .option(
      '--map <column=field>',
      'the field of a column that has another name, such as E-mail=contactData.emails[0].value; without a field, the column is left out. A list is replaced as a whole',
      several,
    )
    .option('--clear-empty', 'let an empty cell of CSV take the value away, instead of leaving it as it is')
    .option('--run <name>', 'the name of this run: started again with it, nothing is written twice. --quiet needs it')
    .option('--no-overwrite', 'change existing records only if a row brings their expectedVersion')
    .option('--failures <path>', 'write the rows that were refused to this new file, with the reasons')
    .option('--dry-run', 'check all rows and show the first ones, and send nothing')
}
