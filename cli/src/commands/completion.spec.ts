import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { commands } from './commands.ts'
import { completionCommand } from './tools.ts'

async function script(shell: string): Promise<string> {
  let text = ''
  const args = new Map([['SHELL', shell]])
  const print = (line: string): void => {
    text += line
  }
  await completionCommand(() => commands).run({ args, json: false, print } as never)
  return text
}

const has = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0

/** The completions of a shell for the last word of a line. */
async function completionsOf(line: string): Promise<readonly string[]> {
  const words = line.split(' ')
  const query = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
    _quipu; printf '%s\\n' "\${COMPREPLY[@]}"`
  return execFileSync('bash', ['-c', `${await script('bash')}\n${query}`], { encoding: 'utf8' })
    .trim()
    .split('\n')
}

const rows: readonly (readonly [string, readonly string[]])[] = [
  ['quipu sta', ['start', 'status']],
  ['quipu world f', ['fork']],
  ['quipu --json order ca', ['cancel']],
  ['quipu order place --take', ['--take-profit']],
  ['quipu start --det', ['--detach']],
  ['quipu help clock adv', ['advance']],
  ['quipu world fork ', ['']],
]
for (const [line, words] of rows)
  test(`bash completes ${line}`, { skip: !has('bash') }, async () =>
    assert.deepEqual(await completionsOf(line), words),
  )

test('zsh and fish scripts name every command; an unknown shell is refused', async () => {
  for (const shell of ['zsh', 'fish']) {
    const text = await script(shell)
    for (const { name } of commands) assert(text.includes(name.split(' ').at(-1)!), `${shell}: ${name}`)
    if (has(shell)) execFileSync(shell, ['-n', '-c', text])
  }
  await assert.rejects(script('tcsh'), /SHELL: expected bash, zsh, fish, received "tcsh"/)
})
