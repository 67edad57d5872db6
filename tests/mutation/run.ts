import { spawnSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Mutation, pickMutations } from './mutations.ts'

/**
 * `npm run mutate -- --seed WORD --count N`: changes N lines of core and server, one at a time, in a copy of the
 * checkout, and runs specs until one fails: specs of the same name, the same folder, the same package, the
 * specification, and with `--all` every other spec. With `--near` only specs of the same name and folder run; this is
 * fast, but other specs may still catch a survivor. `--skip N` skips the first N mutations.
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    count: { type: 'string', default: '30' },
    skip: { type: 'string', default: '0' },
    all: { type: 'boolean', default: false },
    near: { type: 'boolean', default: false },
  },
})
const root = join(import.meta.dirname, '..', '..')
const seed = values.seed ?? Math.random().toString(36).slice(2, 8)
const mutations = pickMutations(root, seed, Number(values.count)).slice(Number(values.skip))
console.log(`seed ${seed}: ${mutations.length} mutations`)
const copy = copyCheckout()
process.on('exit', () => rmSync(copy, { recursive: true, force: true }))
let survived = 0
for (const [index, mutation] of mutations.entries()) {
  const by = caughtBy(mutation)
  if (by === undefined) survived++
  const { file, line, before, after } = mutation
  console.log(
    `${index + 1}. ${file}:${line}\n   - ${before.trim()}\n   + ${after.trim() || '(removed)'}\n   ${by ?? 'SURVIVED'}`,
  )
}
console.log(`${mutations.length - survived} caught, ${survived} survived`)

function caughtBy({ file, line, after }: Mutation): string | undefined {
  const path = join(copy, file)
  const original = readFileSync(path, 'utf8')
  writeFileSync(
    path,
    original
      .split('\n')
      .with(line - 1, after)
      .join('\n'),
  )
  try {
    const packageName = file.split('/', 1)[0]!
    if (!hasValidTypes(packageName)) return 'the types'
    const folder = dirname(file)
    const steps = [
      [file.replace(/\.ts$/, '')],
      ...(folder === `${packageName}/src` ? [] : [[`${folder}/`]]),
      ...(values.near ? [] : [[`${packageName}/src/`], ['tests/specification/']]),
      ...(values.all ? [['tests/']] : []),
    ]
    for (const words of steps) {
      const failure = firstFailure(words)
      if (failure !== undefined) return failure
    }
    return undefined
  } finally {
    writeFileSync(path, original)
  }
}

function hasValidTypes(packageName: string): boolean {
  const project = packageName === 'core' ? 'core' : '.'
  return spawnSync(join(root, 'node_modules', '.bin', 'tsc'), ['-p', project], { cwd: copy }).status === 0
}

/** Runs the specs whose path has these words; returns the first failed test. */
function firstFailure(words: readonly string[]): string | undefined {
  const { stdout, status } = spawnSync(process.execPath, ['tests/runner/run.ts', ...words], {
    cwd: copy,
    encoding: 'utf8',
  })
  if (status === 0 || /^no spec has/m.test(stdout) || !/\d+ failed/.test(stdout)) return undefined
  return /^✖ (.*)$/m.exec(stdout)?.[1] ?? words.join(' ')
}

/** Copies the checkout, so that mutations do not change the original. */
function copyCheckout(): string {
  const folder = mkdtempSync(join(tmpdir(), 'quipu-mutation-'))
  for (const name of readdirSync(root))
    if (!['node_modules', '.git', '.quipu'].includes(name))
      cpSync(join(root, name), join(folder, name), { recursive: true })
  const packages = join(root, 'node_modules')
  mkdirSync(join(folder, 'node_modules'))
  for (const name of readdirSync(packages))
    if (name !== '@quipu') symlinkSync(join(packages, name), join(folder, 'node_modules', name))
  cpSync(join(packages, '@quipu'), join(folder, 'node_modules', '@quipu'), {
    recursive: true,
    verbatimSymlinks: true,
  })
  return folder
}
