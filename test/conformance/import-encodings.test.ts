import iconv from 'iconv-lite'
import { describe, expect, it } from 'vitest'
import { scopes } from '../../server/src/kernel/index.ts'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { objectOf } from '../support/client.ts'
import { runJobs } from '../support/jobs.ts'
import { useApi } from './support/given.ts'
import { errorsOf, expectStatus, upload } from './support/imports.ts'
import { issueRules } from './support/requests.ts'
import { aWorkbook, textRow } from './support/workbooks.ts'

const given = useApi()

const objectsIn = (value: unknown) => (Array.isArray(value) ? value.map(objectOf) : [])

const mapping = { firstName: 0, lastName: 1, jobTitle: 2 }

/** What a preview says of a file, and the contacts and errors that its import then has. */
async function imported(content: string | Buffer, preview: JsonObject = {}) {
  const { client } = await given.shared()
  const { id } = expectStatus(await upload(client, content), 201)
  const { data } = await client.post(`/imports/${id}/preview`, preview)
  expectStatus(
    await client.post(`/imports/${id}/start`, {
      mapping,
      dedupPolicy: 'create_only',
      defaults: { source: String(id) },
    }),
    202,
  )
  await runJobs(given.api)
  const items = (await client.get('/contacts?limit=100')).items.filter(({ source }) => source === id)
  const names = items.map(({ firstName, lastName, jobTitle }) => [firstName, lastName, jobTitle])
  return { preview: data, names: names.toReversed(), errors: errorsOf((await client.get(`/imports/${id}`)).data) }
}

type Name = readonly [first: string, last: string, city: string]

const tableOf = (rows: readonly Name[]) =>
  `First name;Last name;City\r\n${rows.map(row => `${row.join(';')}\r\n`).join('')}`

const german: readonly Name[] = [
  ['Jürgen', 'Groß', 'Köln'],
  ['Käthe', 'Schäfer', 'Würzburg'],
  ['Björn', 'Möller', 'München'],
]
const polish: readonly Name[] = [
  ['Łukasz', 'Wiśniewski', 'Łódź'],
  ['Małgorzata', 'Dąbrowska', 'Kraków'],
  ['Paweł', 'Świątek', 'Częstochowa'],
]
const turkish: readonly Name[] = [
  ['Ayşe', 'Yıldız', 'İstanbul'],
  ['Çağrı', 'Işık', 'Eskişehir'],
]
const russian: readonly Name[] = [
  ['Анна', 'Петрова', 'Москва'],
  ['Фёдор', 'Щербаков', 'Тюмень'],
]
const japanese: readonly Name[] = [
  ['太郎', '佐藤', '東京都'],
  ['さくら', '渡辺', '福岡市'],
  ['健一', '高橋', '大阪市'],
]

describe('names arrive as they were written: a preview guesses', () => {
  it.each<[encoding: string, library: string, rows: readonly Name[], other?: string]>([
    ['windows-1252', 'windows-1252', german],
    ['macintosh', 'macintosh', german],
    ['ibm850', 'cp850', german],
    ['windows-1250', 'windows-1250', polish],
    ['iso-8859-2', 'iso-8859-2', polish],
    ['ibm852', 'cp852', polish],
    ['windows-1254', 'windows-1254', turkish],
    ['windows-1251', 'windows-1251', russian],
    ['koi8-r', 'koi8-r', russian],
    ['ibm866', 'cp866', russian],
    ['iso-8859-5', 'iso-8859-5', russian],
    ['shift_jis', 'cp932', japanese],
    ['euc-jp', 'euc-jp', japanese],
    [
      'euc-kr',
      'cp949',
      [
        ['철수', '김', '서울'],
        ['영희', '이', '부산'],
      ],
    ],
    [
      'gb18030',
      'gb18030',
      [
        ['伟', '王', '北京市'],
        ['娜', '李', '上海市'],
      ],
    ],
    [
      'big5',
      'big5',
      [
        ['淑芬', '林', '台北市'],
        ['志明', '陳', '高雄市'],
      ],
    ],
    ['windows-1253', 'windows-1253', [['Γιώργος', 'Παπαδόπουλος', 'Αθήνα']]],
    [
      'windows-1255',
      'windows-1255',
      [
        ['דוד', 'כהן', 'ירושלים'],
        ['שרה', 'לוי', 'חיפה'],
      ],
    ],
    [
      'windows-1256',
      'windows-1256',
      [
        ['محمد', 'العلي', 'الرياض'],
        ['فاطمة', 'حسن', 'جدة'],
      ],
    ],
    [
      'windows-1257',
      'windows-1257',
      [
        ['Jānis', 'Bērziņš', 'Rīga'],
        ['Ģirts', 'Žagars', 'Liepāja'],
      ],
    ],
    ['windows-874', 'windows-874', [['สมชาย', 'ใจดี', 'กรุงเทพฯ']]],
  ])('%s', async (encoding, library, rows) => {
    const { preview, names, errors } = await imported(iconv.encode(tableOf(rows), library))
    expect(names).toEqual(rows)
    expect(errors).toEqual([])
    expect(preview).toMatchObject({ encoding, delimiter: ';' })
    const [warning, ...others] = objectsIn(preview.warnings)
    expect([warning?.code, others]).toEqual(['guessed_encoding', []])
    expect(rows.flat()).toContain(warning?.example)
  })

  it.each<[name: string, content: Buffer, encoding: string]>([
    ['UTF-8', Buffer.from(tableOf(polish)), 'utf-8'],
    ['UTF-8 with a mark', Buffer.from(`\uFEFF${tableOf(polish)}`), 'utf-8'],
    ['UTF-16', Buffer.from(`\uFEFF${tableOf(polish)}`, 'utf16le'), 'utf-16le'],
    ['ISO-2022-JP', Buffer.from('First name;Last name;City\r\n\u001B$BB@O:\u001B(B;a;b\r\n', 'latin1'), 'iso-2022-jp'],
    ['ASCII', Buffer.from(tableOf([['Anna', 'Smith', 'Rome']])), 'utf-8'],
  ])('nothing for %s, which leaves no doubt', async (_name, content, encoding) => {
    const { preview, names } = await imported(content)
    expect(preview).toMatchObject({ encoding, warnings: [], suggestedHeaderRow: null })
    expect(names[0]).toEqual(
      encoding === 'iso-2022-jp' ? ['太郎', 'a', 'b'] : preview.rowCount === 1 ? ['Anna', 'Smith', 'Rome'] : polish[0],
    )
  })

  it('a name beyond ASCII on the last line of a large file', async () => {
    const ascii = tableOf([['Anna', 'Smith', 'Rome']]).concat('Bob;Jones;Oslo\r\n'.repeat(50_000))
    const { client } = await given.organization()
    const content = Buffer.concat([Buffer.from(ascii), iconv.encode('Łukasz;Żak;Łódź\r\n', 'windows-1250')])
    const { id } = expectStatus(await upload(client, content), 201)
    const { data } = await client.post(`/imports/${id}/preview`, {})
    expect(data).toMatchObject({ encoding: 'windows-1250', rowCount: 50_002 })
    expect(objectsIn(data.warnings)).toMatchObject([{ code: 'guessed_encoding', column: 0, example: 'Łukasz' }])
  })
})

it('the encoding of a table that was not previewed is guessed by its start', async () => {
  const { client } = await given.organization()
  const { id } = expectStatus(await upload(client, iconv.encode(tableOf(polish), 'windows-1250')), 201)
  expectStatus(await client.post(`/imports/${id}/start`, { mapping, dedupPolicy: 'create_only' }), 202)
  await runJobs(given.api)
  const { items } = await client.get('/contacts')
  expect(items.map(({ firstName }) => firstName).toReversed()).toEqual(polish.map(([first]) => first))
})

describe('the encoding of a table can be set', () => {
  it.each<[label: string, name: string, library: string, row: Name]>([
    ['latin2', 'iso-8859-2', 'iso-8859-2', ['Šárka', 'Dvořák', 'Plzeň']],
    ['CP1254', 'windows-1254', 'windows-1254', ['Ayşe', 'Koç', 'Ağrı']],
    ['cp850', 'ibm850', 'cp850', ['Jürgen', 'Groß', 'Köln']],
    ['x-sjis', 'shift_jis', 'cp932', ['太郎', '山', '横浜']],
    ['x-mac-ukrainian', 'x-mac-cyrillic', 'maccyrillic', ['Анна', 'Цой', 'Москва']],
    ['iso-8859-16', 'iso-8859-16', 'iso-8859-16', ['Ștefan', 'Țurcanu', 'Iași']],
  ])('by the label %s', async (label, name, library, row) => {
    const { preview, names } = await imported(iconv.encode(tableOf([row]), library), { encoding: label })
    expect(names).toEqual([row])
    expect(preview).toMatchObject({ encoding: name, warnings: [] })
  })

  it.each(['utf-7', 'klingon', '__proto__', 'replacement', 'hz-gb-2312', 'x-user-defined'])(
    'but %j is no label, and the answer says what is',
    async label => {
      const { client } = await given.shared()
      const { id } = expectStatus(await upload(client, tableOf(polish)), 201)
      const answer = await client.post(`/imports/${id}/preview`, { encoding: label })
      expect([answer.status, issueRules(answer)]).toEqual([400, ['encoding']])
      expect(answer.error.message).toContain('WHATWG Encoding Standard, such as windows-1250')
      expect((await client.post(`/imports/${id}/preview`, { encoding: 'x'.repeat(41) })).status).toBe(400)
      await client.post(`/imports/${id}/cancel`)
    },
  )

  it.each<[encoding: string, bytes: readonly number[]]>([
    ['windows-1250', [0x41, 0x81]],
    ['windows-1253', [0x41, 0xd2]],
    ['iso-8859-2', [0x41, 0x8a]],
    ['windows-874', [0x41, 0xdb]],
    ['shift_jis', [0x41, 0x81, 0x20]],
    ['euc-kr', [0x41, 0xff]],
    ['big5', [0x41, 0xff]],
  ])('and a row with bytes that %s does not define is refused by itself', async (encoding, bytes) => {
    const content = Buffer.concat([
      Buffer.from(tableOf([])),
      Buffer.from(bytes),
      Buffer.from(';x;y\r\nBob;Jones;Oslo\r\n'),
    ])
    const { names, errors } = await imported(content, { encoding })
    expect(names).toEqual([['Bob', 'Jones', 'Oslo']])
    expect(errors).toEqual([[2, 'firstName', 'row_parse_error']])
  })
})

it('the example of a guess is shown to tokens that may read its column in records', async () => {
  const organization = await given.organization()
  const rows = (mail: string) => iconv.encode(`Vorname;Mail\nAnna;${mail}\n`, 'windows-1252')
  const exampleFor = async (content: Buffer, missing: readonly string[]) => {
    const { id } = expectStatus(await upload(organization.client, content), 201)
    const client = await organization.token(scopes.filter(scope => !missing.includes(scope)))
    const key = String(id)
    const answer = await client.post(`/imports/${id}/preview`, {}, { key })
    const again = await organization.client.post(`/imports/${id}/preview`, {}, { key })
    const examples = [answer, again].map(({ data }) => objectsIn(data.warnings)[0]?.example)
    return [...examples, answer.meta.redacted]
  }
  const mail = 'jörg@example.com'
  expect(await exampleFor(rows(mail), [])).toEqual([mail, mail, undefined])
  expect(await exampleFor(rows(mail), ['crm_contact_data_read'])).toEqual([null, mail, ['contact_data']])
  expect(await exampleFor(rows('Jörg'), ['crm_contacts_read'])).toEqual([null, 'Jörg', undefined])
})

describe('a preview suggests the line with the names of the columns below a title', () => {
  const people = [
    ['First name', 'Last name', 'City', 'Phone'],
    ['Anna', 'Smith', 'Rome', '+39 06 6982'],
    ['Bob', 'Jones', 'Oslo', '+47 22 03 10 50'],
  ]
  const text = (delimiter: string) => people.map(row => `${row.join(delimiter)}\n`).join('')
  const inSheet = (...title: readonly string[]) =>
    aWorkbook({ rows: [...title, ...people.map((row, index) => textRow(index + 4, ...row))] })

  it.each<[name: string, content: string | Buffer, line: number]>([
    ['with commas', `Customers 2024\n\n${text(',')}`, 3],
    ['with semicolons, of which the title has none', `Customers, as of May 2024\n\n${text(';')}`, 3],
    ['as wide as its title', `Customers 2024;;;\nExported by;Anna;;\n${text(';')}`, 3],
    ['in a workbook', inSheet(textRow(1, 'Customers 2024')), 4],
  ])('%s', async (_name, content, line) => {
    const { client } = await given.organization()
    const { id } = expectStatus(await upload(client, content), 201)
    const { data } = await client.post(`/imports/${id}/preview`, {})
    expect(data.suggestedHeaderRow).toBe(line)
    const codes = objectsIn(data.warnings).map(({ code, message }) => code === 'title_lines' && message)
    expect(codes).toContain(`Line ${line} seems to have the names of the columns: set headerRow to ${line}`)
    // The names are still those of the first line, which every token may see.
    expect(objectsIn(data.columns)[0]?.name).toMatch(/^Customers/u)
    const { names, preview, errors } = await imported(content, { headerRow: line })
    expect([names, errors]).toEqual([
      [
        ['Anna', 'Smith', 'Rome'],
        ['Bob', 'Jones', 'Oslo'],
      ],
      [],
    ])
    expect(preview).toMatchObject({ suggestedHeaderRow: null, warnings: [], rowCount: 2 })
    expect(objectsIn(preview.columns).map(({ name }) => name)).toEqual(people[0])
  })

  it('but none for an ordinary file', async () => {
    const { preview } = await imported(text(','))
    expect(preview).toMatchObject({ suggestedHeaderRow: null, warnings: [] })
    expect(
      (await imported(aWorkbook({ rows: people.map((row, index) => textRow(index + 1, ...row)) }))).preview,
    ).toMatchObject({
      suggestedHeaderRow: null,
      warnings: [],
    })
  })
})
