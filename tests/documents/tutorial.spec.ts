import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { pythonWith } from '../programs/debian.ts'
import { withoutProxies } from '../run-command/run-process.ts'
import { newFolder, plainEnvironment } from '../support/broker.ts'
import { hasAllCases } from '../support/cases.ts'
import { command } from '../support/quipu-command.ts'
import { pathWithQuipu } from '../support/quipu-process.ts'

const root = join(import.meta.dirname, '..', '..')
const page = readFileSync(join(root, 'docs', 'tutorial.md'), 'utf8')
const readme = readFileSync(join(root, 'README.md'), 'utf8')

/** The steps of a reader, in their order: commands with what they print, and files to save or to change. */
type Step =
  // What the page shows after the commands.
  | { readonly kind: 'commands'; readonly text: string; printed?: string }
  | { readonly kind: 'file'; readonly name: string; readonly text: string; readonly isChange: boolean }

function stepsOf(markdown: string): readonly Step[] {
  const steps: Step[] = []
  const saved = new Set<string>()
  for (const [, language, body] of markdown.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)) {
    const last = steps.at(-1)
    if (language === 'sh') steps.push({ kind: 'commands', text: body! })
    // The block before the first step installs the package.
    else if (language === '' && last?.kind === 'commands') last.printed = body!
    else if (language !== '') {
      const name = /^(?:\/\/|#) (\S+)\n/.exec(body!)![1]!
      steps.push({ kind: 'file', name, text: body!, isChange: saved.has(name) })
      saved.add(name)
    }
  }
  return steps
}

/** The page shows the year in Python too. `npm test` runs the one in Node, which takes a third of the time. */
const isRun = (step: Step): boolean =>
  hasAllCases || step.kind !== 'commands' || !step.text.includes('python3')
const steps = stepsOf(page).filter(isRun)
const END = '===== end of a step ====='

/** The new function of a program, in place of the one of the same name. */
function changed(program: string, change: string): string {
  const [, body = ''] = /^.*\n([\s\S]*)$/.exec(change)!
  const [head = ''] = body.split('\n')
  const name = /(?:function|def) (\w+)/.exec(head)![1]
  const before = new RegExp(
    `^(async function|def) ${name}\\(.*\\n(?:(?:[ \\t].*)?\\n)*?(?:\\}\\n|(?=\\n\\n))`,
    'm',
  )
  assert.match(program, before)
  return program.replace(before, () => body)
}

/** One shell does all steps. A file is saved, or changed, where the page says so. */
function scriptOf(folder: string): string {
  const files = new Map<string, string>()
  const lines = steps.map((step, index) => {
    if (step.kind === 'commands') return `${step.text}echo '${END}'`
    files.set(step.name, step.isChange ? changed(files.get(step.name)!, step.text) : step.text)
    writeFileSync(join(folder, `file-${index}`), files.get(step.name)!)
    return `cp file-${index} ${step.name}`
  })
  return lines.join('\n').replace('--detach', '--detach --port 0')
}

/** Whether a step prints the same on every day: its world has a clock and a seed. */
const isRepeatable = ({ text }: { readonly text: string }): boolean => /--from|scenario|drill/.test(text)

/** Times of the machine differ, and how often the clock waited, and in a run of today also prices. */
function masked(line: string, isSame: boolean): string {
  const common = line
    .replace(/(wrong at request \d+, \S+ \d\d:\d\d):\d\d/, '$1')
    .replace(/\d+ steps, \d+ waits in [\d.]+ s, \d+%/, 'N steps, N waits in N s, N%')
    .trimEnd()
  return isSame ? common : common.replaceAll(/[-+]?\d[\d.-]*/g, 'N')
}

/** Whether a page shows what a command printed. A line with … stands for any number of lines. */
function assertShown(step: { readonly text: string; readonly printed?: string }, printed: string): void {
  const isSame = isRepeatable(step)
  const received = printed
    .trimEnd()
    .split('\n')
    .map((line) => masked(line, isSame))
  let at = 0
  let isSkipping = false
  for (const line of step.printed!.trimEnd().split('\n')) {
    if (line === '…') {
      isSkipping = true
      continue
    }
    const found: number = isSkipping ? received.indexOf(masked(line, isSame), at) : at
    assert.equal(received[found], masked(line, isSame), `${step.text}${printed}`)
    ;[at, isSkipping] = [found + 1, false]
  }
  assert.ok(isSkipping || at === received.length, `${step.text}${printed}`)
}

test('every step of the tutorial does what the page says, word by word', async (t) => {
  const folder = newFolder()
  t.after(() => command(['stop', '--data', join(folder, 'broker')]))
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  symlinkSync(pythonWith(['json']), join(bin, 'python3'))
  chmodSync(bin, 0o755)
  const env = { ...withoutProxies(plainEnvironment()), PATH: [bin, pathWithQuipu].join(delimiter) }
  const shell = spawn('sh', ['-ec', `exec 2>&1\n${scriptOf(folder)}`], {
    cwd: folder,
    env: { ...env, QUIPU_RUNS: join(folder, 'quipu-runs') },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const output = await text(shell.stdout)
  if (shell.exitCode === null) await once(shell, 'exit')
  assert.equal(shell.exitCode, 0, output)
  const printed = output.split(`${END}\n`)
  const commands = steps.filter((step) => step.kind === 'commands')
  for (const [index, step] of commands.entries())
    if (step.printed !== undefined) assertShown(step, printed[index]!)
  const years = commands.flatMap(({ text }, index) => (text.includes('2025-12-31') ? [printed[index]!] : []))
  const [trades, ...others] = years.map((year) => year.match(/^2025-.*$/gm))
  assert.equal(trades?.length, 27)
  for (const other of others) assert.deepEqual(other, trades, 'Node and Python')
  const [started, position, explained] = printed
  assert.match(started!, /^ready +true$/m)
  assert.match(position!, /^AAPL +1 /m)
  assert.match(explained!, /buy 5 AAPL at 1 or better[\s\S]*waits[\s\S]*is canceled/)
})

test('what the README shows of the three commands is what the tutorial shows', () => {
  const [shown = ''] = /```\n\$ quipu run --from[\s\S]*?```/.exec(readme) ?? []
  const lines = shown
    .split('\n')
    .slice(1, -1)
    .filter((line) => line !== '…' && line !== '')
  assert.ok(lines.length > 8)
  assert.deepEqual(
    lines.filter((line) => !page.split('\n').includes(line.replace(/^\$ /, ''))),
    [],
  )
})
