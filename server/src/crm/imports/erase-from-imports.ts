import type { ErasePerson } from '../../kernel/index.ts'
import { isObject, type JsonObject } from '../../kernel/schema/index.ts'
import { type Row, statement, type Transaction } from '../../kernel/sql/index.ts'

const texts = (json: string) => `jsonb_path_query(${json}, 'strict $.** ? (@.type() == "string")') as said`
const hasCell = (json: string) => `exists (select from ${texts(json)} where said #>> '{}' ~* $2)`
const inFile = `(${hasCell('i.form')} or ${hasCell('i.mapping')})`

/**
 * $1 organization, $2 regular expression for cells, $3 for names of files: locks the imports that mention the person, and all unfinished
 * ones, which a request or a worker may be changing. The statement waits for their last change.
 */
const lockTelling = statement(
  'find_imports_telling_of_person',
  `select i.id, i.file_name, i.mapping, i.columns, i.errors_file_id, i.rows_file_id, ${inFile} as "isInFile",
          ${hasCell('i.defaults')} as "isInDefaults", i.file_name ~* $3 as "isInName"
     from imports i
    where i.organization_id = $1
      and (i.finished_at is null or i.file_name ~* $3 or ${inFile} or ${hasCell('i.defaults')})
    order by i.id for no key update`,
)

/** $1 organization, $2 the imports without the person's data. */
const updateTelling = statement(
  'drop_person_of_imports',
  `update imports i
      set file_name = n.file_name, mapping = n.mapping, columns = n.columns,
          form = case when n.is_in_file then null else i.form end,
          defaults = case when n.is_in_defaults then '{}' else i.defaults end,
          errors = case when n.is_in_file
                        then (select coalesce(jsonb_agg(e || '{"column":null}' order by ordinal), '[]')
                                from jsonb_array_elements(i.errors) with ordinality as listed (e, ordinal))
                        else i.errors end
     from jsonb_to_recordset($2) as n (id uuid, file_name text, mapping jsonb, columns jsonb, is_in_file boolean, is_in_defaults boolean)
    where i.organization_id = $1 and i.id = n.id
   returning 1`,
)

/** $1 organization, $2 imports: drops the column names from errors that are not yet in a report file. */
const dropColumns = statement(
  'drop_columns_of_import_errors',
  `update import_errors e set error = e.error || '{"column":null}'
    where e.organization_id = $1 and e.import_id = any ($2::uuid[]) and e.error ->> 'column' is not null
   returning 1`,
)

/**
 * $1 organization, $2 ids of report files. The file of errors contains the column names; both report files carry the name of the imported
 * file. Their imports are locked, in order.
 */
const lockReportFiles = statement(
  'lock_files_of_import_errors',
  `select f.id, f.purpose, f.size
     from unnest($2::uuid[]) as n (id)
    cross join lateral (
      select f.id, f.purpose, f.size_bytes as size from files f
       where f.organization_id = $1 and f.id = n.id for update) as f`,
)

/** $1 organization. The value quoted in an error may come from a row about the person. */
const dropValues = statement(
  'drop_values_of_import_errors',
  `update imports i
      set errors = (select coalesce(jsonb_agg(e || '{"value":null}' order by ordinal), '[]')
                      from jsonb_array_elements(i.errors) with ordinality as listed (e, ordinal))
    where i.organization_id = $1 and jsonb_path_exists(i.errors, '$[*] ? (@.value != null)')
   returning 1`,
)

/** $1 organization. Unfinished dry runs have lost their file and cannot go on. */
const dropRehearsals = statement(
  'drop_rehearsals_of_imports',
  'delete from import_rehearsals r where r.organization_id = $1 returning 1',
)

/**
 * Erases a person from imports (contract section 10.3). The imports do not record which rows are about a person. So if one column name
 * mentions the person, all of them are taken for a row about the person; the same applies to defaults.
 */
export const eraseFromImports: ErasePerson = async (transaction, organizationId, { known }) => {
  const rows = known === null ? [] : await telling(transaction, organizationId, [known.inCells, known.inTitles])
  const inFile = rows.filter(({ isInFile }) => isInFile === true)
  const errorsFiles = rows.filter(({ isInFile, isInName }) => isInFile === true || isInName === true)
  const rowsFiles = rows.filter(({ isInName }) => isInName === true)
  const fileIds = [...errorsFiles.map(row => row.errors_file_id), ...rowsFiles.map(row => row.rows_file_id)]
  const [, , files, , values] = await Promise.all([
    transaction.query(updateTelling, [organizationId, JSON.stringify(rows.map(withoutPerson))]),
    transaction.query(dropColumns, [organizationId, inFile.map(({ id }) => id)]),
    transaction.query(lockReportFiles, [organizationId, fileIds.filter(id => id !== null)]),
    transaction.query(dropRehearsals, [organizationId]),
    transaction.query(dropValues, [organizationId]),
  ])
  return {
    reached: { imports: rows.length, importErrors: values.length },
    files,
    ids: rows.map(({ id }) => String(id)),
  }
}

async function telling(transaction: Transaction, organizationId: string, expressions: readonly string[]) {
  const rows = await transaction.query(lockTelling, [organizationId, ...expressions])
  return rows.filter(({ isInFile, isInDefaults, isInName }) => [isInFile, isInDefaults, isInName].includes(true))
}

/** Columns whose names were erased are mapped by number. The file keeps only the extension of its name. */
function withoutPerson({
  id,
  file_name: fileName,
  mapping,
  columns,
  isInFile,
  isInDefaults,
  isInName,
}: Row): JsonObject {
  const ending = /\.(?:csv|txt|tsv|xlsx)$/iu.exec(String(fileName))?.[0] ?? ''
  return {
    id,
    file_name: isInName === true ? `import${ending}` : fileName,
    mapping: isInFile === true && isObject(columns) ? mapped(columns, column => column.index) : mapping,
    columns: isInFile === true && isObject(columns) ? mapped(columns, column => ({ ...column, name: '' })) : columns,
    is_in_file: isInFile,
    is_in_defaults: isInDefaults,
  }
}

function mapped(columns: JsonObject, value: (column: JsonObject) => unknown): JsonObject {
  return Object.fromEntries(
    Object.entries(columns).flatMap(([field, column]) => (isObject(column) ? [[field, value(column)]] : [])),
  )
}
