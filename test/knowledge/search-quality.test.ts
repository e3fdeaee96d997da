import { expect, it } from 'vitest'
import { findPassages } from '../../server/src/ai-agents/knowledge-bases/index.ts'
import { useApi } from '../conformance/support/given.ts'
import { expectStatus } from '../conformance/support/imports.ts'
import { contentOf, type Question } from './corpus/corpus.ts'
import { englishFiles, englishQuestions } from './corpus/english.ts'
import { germanFiles, germanQuestions } from './corpus/german.ts'
import { russianFiles, russianQuestions } from './corpus/russian.ts'
import { aBase, basesPath, indexFiles, putFile } from './support/knowledge.ts'

const given = useApi()
const files = [...englishFiles, ...germanFiles, ...russianFiles]
const questions: readonly Question[] = [...englishQuestions, ...germanQuestions, ...russianQuestions]

/** The passages among which the one with the answer has to be, and of how many questions. */
const [first, least] = [5, 135]

it('nine of ten among 150 questions about 40 files in three languages find their passage among the first five', {
  timeout: 240_000,
}, async () => {
  const { client, id: organizationId } = await given.organization()
  const baseId = await aBase(client)
  for (const [index, file] of files.entries()) {
    const sent = { base: baseId, id: `f${index}`, name: file.name, content: contentOf(file) }
    expectStatus(await putFile(client, sent), 200)
    // A process is started for each file, so all at once could take longer than a test waits for jobs.
    if (index % 8 === 7) await indexFiles(given.api)
  }
  const { data } = await client.get(`${basesPath}/${baseId}`)
  expect(data).toMatchObject({ filesCount: 40, status: 'ready' })
  const missed: string[] = []
  for (const [question, file, answer] of questions) {
    const asked = { organizationId, baseId, question, limit: first }
    const found = (await findPassages(asked, given.api.services)) ?? []
    if (!found.some(({ fileName, text }) => fileName === file && text.includes(answer))) missed.push(question)
  }
  expect([files.length, questions.length]).toEqual([40, 150])
  expect(questions.length - missed.length, `missed: ${missed.join(' ')}`).toBeGreaterThanOrEqual(least)
})
