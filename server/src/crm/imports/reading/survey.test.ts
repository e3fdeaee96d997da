import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { findForm, openTable } from '../../../kernel/documents/index.ts'
import { survey } from './survey.ts'

it('a survey tells columns, samples, types, and what looks wrong', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'survey-'))
  const path = join(folder, 'people.csv')
  await writeFile(path, 'Name,Mail,Mail,,Phone\nAnna,a@x.org,,1,7.9E+10\nIgor,i@x.org,,,+1 202 555 0143\n"x,\n')
  const found = await survey(await openTable(path, await findForm(path, {}), 1), 1)
  await rm(folder, { recursive: true })
  expect(found.rowCount).toBe(3)
  expect(found.columns.map(({ name, samples, detectedType }) => [name, samples, detectedType])).toEqual([
    ['Name', ['Anna'], 'text'],
    ['Mail', ['a@x.org'], 'email'],
    ['Mail', [], 'empty'],
    ['', ['1'], 'integer'],
    ['Phone', ['7.9E+10'], 'text'],
  ])
  expect(found.warnings.map(({ code, column }) => [code, column])).toEqual([
    ['duplicate_header', 2],
    ['empty_header', 3],
    ['scientific_numbers', 4],
    ['row_parse_error', undefined],
  ])
})
