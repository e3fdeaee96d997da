import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { useCrm } from './support/given.ts'

const given = useCrm()

async function completed(shell: 'bash' | 'zsh', words: readonly string[]): Promise<string[]> {
  const { out: script } = await given.crm(['completion', shell], { environment: {} })
  const typed = words.map(word => `'${word}'`).join(' ')
  const ask = `COMP_WORDS=(crm ${typed}); COMP_CWORD=${words.length}; _crm; echo "\${COMPREPLY[@]}"`
  const code =
    shell === 'bash' ? `${script}\n${ask}` : `autoload -U compinit && compinit -D\n${script}\nsetopt ksharrays\n${ask}`
  const options = shell === 'bash' ? ['--norc', '-c', code] : ['-f', '-c', code]
  return execFileSync(shell, options, { encoding: 'utf8' }).trim().split(' ')
}

test('bash completes commands and options at every depth', async () => {
  expect(await completed('bash', ['cont'])).toEqual(['contacts'])
  expect(await completed('bash', ['--quiet', 'deals', 'it'])).toEqual(['items'])
  expect(await completed('bash', ['deals', 'items', 'cr'])).toEqual(['create'])
  expect(await completed('bash', ['contacts', 'update', 'some-id', '--first'])).toEqual(['--first-name'])
})

// zsh itself leaves out the words that do not begin with what is typed.
test('zsh runs the same completion', async () => {
  expect(await completed('zsh', ['deals', 'items', 'cr'])).toEqual(
    expect.arrayContaining(['create', 'update', '--help']),
  )
})

test('fish gets a case for each path of commands', async () => {
  const { out } = await given.crm(['completion', 'fish'], { environment: {} })
  expect(out).toMatch(/case ' deals items'\n +printf '%s\\n' list create update delete /u)
})
