import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { useCrm } from './support/given.ts'
import { aFolder, aPeopleFile, peopleMap } from './support/people-file.ts'

const given = useCrm()

/** A file with this content. */
function aFile(name: string, content: string | Uint8Array): string {
  const file = join(aFolder(), name)
  writeFileSync(file, content)
  return file
}

const listed = async (kind = 'contacts') => (await given.organization.client.get(`/${kind}?limit=100`)).items

describe('a CSV file', () => {
  test('is written by key, with mapped columns, lists of parts and a mark of UTF-8', async () => {
    const file = aFile(
      'people.csv',
      '\ufeffNo;firstName;E-mail;Second;Note\nA-1;Anna;anna@example.com;a@example.com;x\nA-2;"Bo""b";b@example.com;;\n',
    )
    const maps = ['E-mail=contactData.emails[0].value', 'Second=contactData.emails[1].value', 'Note=']
    const words = ['contacts', 'upsert', '--file', file, '--delimiter', ';', '--key', 'No', '--run', 'one']
    const { status, out, err } = await given.crm([...words, ...maps.flatMap(map => ['--map', map])])
    expect([status, JSON.parse(out)]).toEqual([0, { run: 'one', rows: 2, written: 2, replayed: 0, refused: 0 }])
    expect(err).toBe(`run one: 2 rows of ${file} to contacts\n`)
    const emails = (values: readonly string[]) => ({ emails: values.map(value => expect.objectContaining({ value })) })
    expect(await listed()).toMatchObject([
      { externalId: 'A-2', firstName: 'Bo"b', contactData: emails(['b@example.com']) },
      { externalId: 'A-1', firstName: 'Anna', contactData: emails(['anna@example.com', 'a@example.com']) },
    ])
  })

  test('leaves fields of empty cells alone, and takes them away when asked to', async () => {
    const file = aFile('people.csv', 'externalId,firstName,jobTitle\nA,Anna,Buyer\n')
    const empty = aFile('empty.csv', 'externalId,firstName,jobTitle\nA,Anna,\n')
    for (const words of [[file], [empty]]) await given.crm(['contacts', 'upsert', '--file', ...words])
    expect(await listed()).toMatchObject([{ jobTitle: 'Buyer', version: 1 }])
    expect((await given.crm(['contacts', 'upsert', '--file', empty, '--clear-empty'])).status).toBe(0)
    expect(await listed()).toMatchObject([{ jobTitle: null, version: 2 }])
  })

  test('of companies is written one by one, and a second start of the run is all replays', async () => {
    const rows = Array.from({ length: 12 }, (_, at) => `C-${at},Company ${at},${at}\n`).join('')
    const file = aFile('companies.csv', `externalId,name,employeesCount\n${rows}C-0,Company again,7\n`)
    const words = ['companies', 'upsert', '--file', file, '--run', 'one']
    expect(JSON.parse((await given.crm(words)).out)).toMatchObject({ rows: 13, written: 13, replayed: 0 })
    expect(JSON.parse((await given.crm(words)).out)).toMatchObject({ rows: 13, written: 0, replayed: 13 })
    const companies = await listed('companies')
    expect(companies).toHaveLength(12)
    expect(companies.find(({ externalId }) => externalId === 'C-0')).toMatchObject({
      name: 'Company again',
      employeesCount: 7,
      version: 2,
    })
  })

  test('has refused rows with their lines in a file of the same form, which is mended and sent again', async () => {
    const file = aFile(
      'companies.csv',
      'externalId,name,employeesCount,Remark\nA,Acme,many,"two\nlines"\nB,Bee,3,\n,Nameless,1,\nD,,4,"a, b"\n',
    )
    const failures = join(aFolder(), 'failures.csv')
    const words = ['--map', 'Remark=description', '--failures', failures]
    const { status, out, err } = await given.crm(['companies', 'upsert', '--file', file, ...words])
    expect([status, JSON.parse(out)]).toMatchObject([1, { rows: 4, written: 1, refused: 3 }])
    expect(err).toContain('crm: refused: 3 of 4 rows')
    const text = readFileSync(failures, 'utf8')
    expect(text).toMatch(/^error_line,error_code,error_message,externalId,name,employeesCount,Remark\n/u)
    expect(text).toContain(
      '2,unreadable,"the column ""employeesCount"" has ""many"", and employeesCount is a whole number",A,Acme,many,"two\nlines"\n',
    )
    expect(text).toContain('5,unreadable,"the key of the record, externalId, is empty",,Nameless,1,\n')
    expect(text).toMatch(/\n6,validation_error,.*name.*,D,,4,"a, b"\n/u)
    expect(statSync(failures).mode & 0o777).toBe(0o600)

    const mended = aFile(
      'mended.csv',
      text.replace(',many,', ',5,').replace(',D,,', ',D,Dee,').replace(',,Nameless', ',C,Cee'),
    )
    const again = await given.crm(['companies', 'upsert', '--file', mended, '--map', 'Remark=description'])
    expect([again.err.split('\n').at(-2), again.status]).toEqual([expect.stringMatching(/^run /u), 0])
    expect((await listed('companies')).map(({ externalId }) => externalId).sort()).toEqual(['A', 'B', 'C', 'D'])
    expect(await listed('companies')).toContainEqual(expect.objectContaining({ description: 'two\nlines' }))
  })

  test('is only shown by a dry run', async () => {
    const file = aFile('people.csv', 'externalId,firstName\nA,Anna\n,Bob\n')
    const { status, out, err } = await given.crm(['contacts', 'upsert', '--file', file, '--dry-run'])
    expect([status, JSON.parse(out)]).toEqual([1, { externalId: 'A', firstName: 'Anna' }])
    expect(err).toBe(
      `line 3: unreadable: the key of the record, externalId, is empty\n` +
        `nothing was sent: 1 row of ${file} would go to contacts\ncrm: refused: 1 of 2 rows\n`,
    )
    expect(await listed()).toEqual([])
  })

  test('has custom fields in columns of their names, read by their types', async () => {
    const { id } = given.organization
    await given.api.test.database.script(
      `insert into custom_field_definitions (organization_id, kind, key, label, type, options, position, created_at) values
         ('${id}', 'contact', 'size', 'Size', 'number', '[]', 0, now()),
         ('${id}', 'contact', 'vip', 'VIP', 'boolean', '[]', 1, now()),
         ('${id}', 'contact', 'areas', 'Areas', 'multiselect',
          '[{"key":"north","label":"North"},{"key":"south","label":"South"}]', 2, now());
       update organizations set directory_version = directory_version + 1 where id = '${id}'`,
    )
    const columns = 'externalId,firstName,customFields.size,customFields.vip,customFields.areas'
    const file = aFile('people.csv', `${columns}\nA,Anna,12.5,yes,north; south\n`)
    const { status, err } = await given.crm(['contacts', 'upsert', '--file', file])
    expect([status, err]).toEqual([0, expect.stringMatching(/^run /u)])
    const { items } = await given.organization.client.get('/contacts')
    expect(items).toMatchObject([{ customFields: { size: '12.5', vip: true, areas: ['north', 'south'] } }])
  })

  test('with a custom field that there is not is refused', async () => {
    const file = aFile('people.csv', 'externalId,customFields.regoin\nA,north\n')
    const { status, err } = await given.crm(['contacts', 'upsert', '--file', file])
    expect([status, err]).toEqual([
      2,
      expect.stringContaining('no field has the name of the column "customFields.regoin"'),
    ])
  })
})

describe('an NDJSON file', () => {
  test('is written as it is, and lines that are no objects are kept', async () => {
    const file = aFile(
      'people.ndjson',
      '{"externalId":"A","firstName":"Anna","contactData":{"emails":[{"value":"a@example.com"}]}}\n\n[1]\n{"externalId":"B","firstName":7}\n',
    )
    const failures = join(aFolder(), 'failures.ndjson')
    const { status, out } = await given.crm(['contacts', 'upsert', '--file', file, '--failures', failures])
    expect([status, JSON.parse(out)]).toMatchObject([1, { rows: 3, written: 1, refused: 2 }])
    const kept = readFileSync(failures, 'utf8')
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(kept).toEqual([
      { error_line: 3, error_code: 'unreadable', error_message: 'the line is no object of JSON', error_text: '[1]' },
      {
        error_line: 4,
        error_code: 'validation_error',
        error_message: expect.stringMatching(/^\/firstName: /u),
        externalId: 'B',
        firstName: 7,
      },
    ])
    expect(await listed()).toMatchObject([{ externalId: 'A', contactData: { emails: [{ value: 'a@example.com' }] } }])
  })
})

describe('nothing is sent, and a sentence says why,', () => {
  test.each([
    [
      'if a map names an unknown column',
      'externalId,E-mail\nA,a\n',
      ['--map', 'Email=firstName'],
      'there is no column "Email": did you mean "E-mail"?',
    ],
    [
      'if a map names an unknown field',
      'externalId,X\nA,a\n',
      ['--map', 'X=frstName'],
      '--map "X": there is no field frstName: did you mean firstName or lastName?',
    ],
    [
      'if a map names a list',
      'externalId,X\nA,a\n',
      ['--map', 'X=contactData.emails.value'],
      '--map "X": contactData.emails is a list: name the place of an element, as in [0]',
    ],
    [
      'if a column means nothing',
      'externalId,E-mail\nA,a\n',
      [],
      `no field has the name of the column "E-mail": map it, as in --map 'E-mail=contactData.emails[0].value'`,
    ],
    [
      'if two columns go to one field',
      'externalId,firstName,X\nA,a,b\n',
      ['--map', 'X=firstName'],
      'the columns "firstName" and "X" both go to firstName',
    ],
    [
      'if no column has the keys',
      'a,b\n1,2\n',
      ['--map', 'a=', '--map', 'b='],
      'no column has the keys of the records: name it with --key COLUMN. The columns are "a", "b"',
    ],
    [
      'if something else separates the cells',
      'externalId;firstName\nA;Anna\n',
      [],
      `has one column, "externalId;firstName": give --delimiter ';' to divide it`,
    ],
    ['if a quiet run has no name', 'externalId\nA\n', ['--quiet'], '--quiet does not tell the name of the run'],
    [
      'if rows bring versions',
      'externalId,expectedVersion\nA,1\n',
      [],
      'the rows bring expectedVersion: give --no-overwrite',
    ],
    [
      'if a quote is not closed',
      'externalId,firstName\nA,"Anna\nB,Bob\n',
      [],
      'in the row after line 1: a quote is not closed',
    ],
    ['if a column comes twice', 'externalId,firstName,firstName\nA,a,b\n', [], 'has two columns "firstName"'],
    ['if there are no rows', 'externalId\n', [], 'has no rows'],
    [
      'if a row is too long',
      `externalId,firstName\nA,${'x'.repeat(1_000_001)}\n`,
      [],
      'in the row after line 1: a row has more than 1000000 characters',
    ],
    [
      'if there are too many columns',
      Array.from({ length: 1001 }, (_, at) => at).join(),
      [],
      'has more than 1000 columns',
    ],
    ['if it is not UTF-8', new Uint8Array([65, 10, 0xe9, 65]), [], 'is not UTF-8, soon after byte 0: convert it'],
    ['if the delimiter is a word', 'externalId\nA\n', ['--delimiter', 'comma'], '--delimiter is one character, or tab'],
    ['if the run has no name', 'externalId\nA\n', ['--run', ''], '--run has 1 to 150 visible ASCII characters'],
  ])('%s', async (_, content, words, said) => {
    const file = aFile('people.csv', content)
    const { status, out, err } = await given.crm(['contacts', 'upsert', '--file', file, ...words])
    expect([status, out]).toEqual([2, ''])
    expect(err).toContain(said)
    expect(await listed()).toEqual([])
  })

  test('if a line of NDJSON is too long', async () => {
    const file = aFile('people.ndjson', `{"externalId":"A"}\n"${'x'.repeat(1_000_001)}"`)
    const { status, err } = await given.crm(['contacts', 'upsert', '--file', file])
    expect([status, err]).toEqual([2, expect.stringContaining('a line has more than 1000000 characters')])
  })

  test('if the failures would replace a file', async () => {
    const file = aFile('people.csv', 'externalId\nA\n')
    const words = ['contacts', 'upsert', '--file', file, '--failures', file, '--dry-run']
    const { status, err } = await given.crm(words)
    expect([status, err]).toEqual([2, expect.stringContaining('exists, and --failures replaces no file')])
    expect(readFileSync(file, 'utf8')).toBe('externalId\nA\n')
  })
})

test('of two rows with one key, however near, the last one wins, and no file of failures is left', async () => {
  const failures = join(aFolder(), 'failures.csv')
  const file = aFile('people.csv', 'externalId,firstName\nA,Ana\nB,Bob\nA,Anna\n')
  const { status, out } = await given.crm(['contacts', 'upsert', '--file', file, '--failures', failures])
  expect([status, JSON.parse(out)]).toMatchObject([0, { rows: 3, written: 3 }])
  expect(await listed()).toMatchObject([{ firstName: 'Bob' }, { firstName: 'Anna', version: 2 }])
  expect(existsSync(failures)).toBe(false)
})

test('a dry run says which lists are replaced, and shows all parts of records on a terminal', async () => {
  const file = aFile('people.csv', 'externalId,contactData.emails[0].value\nA,a@example.com\n')
  const { out } = await given.inTerminal(['contacts', 'upsert', '--file', file, '--dry-run'], [])
  expect(out).toMatch(/contactData\.emails\.0\.value +a@example\.com/u)
  expect(out).toContain('contactData.emails of a record is replaced as a whole by what its row has of it')
})

test('a run that cannot go on says how to start it again', async () => {
  const file = await aPeopleFile(aFolder(), 3)
  const { token } = await given.organization.token(['crm_contacts_read'])
  const words = ['contacts', 'upsert', '--file', file, ...peopleMap, '--run', 'erp']
  const { status, err } = await given.crm(words, { environment: { ...given.environment, CRM_TOKEN: token } })
  expect([status, err]).toEqual([
    1,
    expect.stringContaining('stopped after 0 rows. Start again with --run erp: what was written is not written twice'),
  ])
})
