import { Button, type Choice, Select } from '../components/index.ts'
import type { Text } from '../words/index.ts'
import { useWorkspace } from '../workspace/workspace.ts'
import type { FileReading, ImportPreview } from './import-job.ts'

interface ReadingFieldsProps {
  /** Undefined as long as the file cannot be read. */
  readonly preview: ImportPreview | undefined
  readonly reading: FileReading
  readonly onChange: (reading: FileReading) => void
}

/** The encodings that files of offices have; the server knows more, and says which one it has found. */
const encodings = [
  'utf-8',
  'utf-16le',
  'windows-1252',
  'windows-1250',
  'windows-1251',
  'macintosh',
  'ibm850',
  'ibm866',
  'iso-8859-15',
  'koi8-r',
  'gb18030',
  'shift_jis',
]
const delimiters: readonly (readonly [string, Text])[] = [
  [',', 'Comma'],
  [';', 'Semicolon'],
  ['\t', 'Tab'],
  ['|', 'Vertical bar'],
]
const headerLines = Array.from({ length: 10 }, (_, index) => index + 1)

/** How the file is read: found out by the server, and changed where that was wrong. */
export function ReadingFields({ preview, reading, onChange }: ReadingFieldsProps) {
  const { t } = useWorkspace().showing.words
  const isText = preview === undefined || preview.encoding !== null
  const found = preview?.encoding ?? reading.encoding ?? null
  const known = found === null || encodings.includes(found) ? encodings : [found, ...encodings]
  const suggested = preview?.suggestedHeaderRow ?? null
  return (
    <div className="import-reading">
      {isText ? (
        <>
          <Choose
            label={t('Encoding')}
            choices={known.map(id => ({ id, name: id }))}
            value={found}
            onChange={encoding => onChange({ ...reading, encoding })}
          />
          <Choose
            label={t('Divided by')}
            choices={delimiters.map(([id, name]) => ({ id, name: t(name) }))}
            value={preview?.delimiter ?? reading.delimiter ?? null}
            onChange={delimiter => onChange({ ...reading, delimiter })}
          />
        </>
      ) : (
        <Choose
          label={t('Sheet')}
          choices={preview.sheets.map(id => ({ id, name: id }))}
          value={reading.sheetName ?? preview.sheets[0] ?? null}
          onChange={sheetName => onChange({ ...reading, sheetName })}
        />
      )}
      <Choose
        label={t('Line with the names of columns')}
        choices={headerLines.map(line => ({ id: String(line), name: String(line) }))}
        value={String(reading.headerRow ?? 1)}
        onChange={line => onChange({ ...reading, headerRow: Number(line) })}
      />
      {suggested === null ? null : (
        <Button onPress={() => onChange({ ...reading, headerRow: suggested })}>
          {t('Take line {number}', { number: suggested })}
        </Button>
      )}
    </div>
  )
}

interface ChooseProps {
  readonly label: string
  readonly choices: readonly Choice[]
  readonly value: string | null
  readonly onChange: (value: string) => void
}

function Choose({ label, choices, value, onChange }: ChooseProps) {
  return (
    <Select
      label={label}
      choices={choices}
      value={value}
      onChange={key => {
        if (key !== null && key !== value) onChange(String(key))
      }}
    />
  )
}
