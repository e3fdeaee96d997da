import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { examineForm, openTable } from '../../../kernel/documents/index.ts'
import { bounds } from '../../../kernel/index.ts'
import { type Survey, survey } from './survey.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'survey-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function surveyOf(content: string, samples: number): Promise<Survey> {
  const path = join(folder, 'people.csv')
  await writeFile(path, content)
  const { form, guess } = await examineForm(path, {})
  const options = { type: 'contacts', sampleSize: samples, guess, mayHaveTitle: true, usualMark: '.' } as const
  return survey(await openTable(path, form, 1), options)
}

it('a survey keeps a bounded part of the first rows for types and samples', async () => {
  const long = 'x'.repeat(bounds.importCell.most)
  const full = `${long},1\n`.repeat(bounds.importSamples.most / bounds.importCell.most - 1)
  const found = await surveyOf(`Long,Number\n${full}${long},${'y'.repeat(9000)}\n${long},z\n`, 50)
  expect(found.rowCount).toBe(33)
  expect(found.columns.map(({ detectedType, samples }) => [detectedType, samples.length])).toEqual([
    ['text', 31],
    ['integer', 31],
  ])
})

it('long texts that are nearly addresses take no noticeable time', async () => {
  const nearly = `a@${'.'.repeat(bounds.importCell.most - 3)}@`
  const found = await surveyOf(`Mail\n${`${nearly}\n`.repeat(30)}`, 1)
  expect(found.columns.map(({ detectedType }) => detectedType)).toEqual(['text'])
})

it('a survey lists columns, samples, types and warnings', async () => {
  const people = 'Name,Mail,Mail,,Phone\nAnna,a@x.org,,1,7.9E+10\nIgor,i@x.org,,,+1 202 555 0143\n"x,\n'
  const found = await surveyOf(people, 1)
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
