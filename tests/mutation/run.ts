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
import { chosen, type Mutation } from './places.ts'

/**
 * `npm run mutate -- --seed WORD --count N`: changes N places of core and server, one at a time, in a copy of the
 * checkout, and runs the specs until one fails: those of the same name, of the same folder, of the same room, of the
 * specification, and with `--all` every other one. With `--near` only those of the same name and folder: what survives
 * these is quickly found, and may still be caught by others. `--skip N` leaves out the first N.
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
const mutations = chosen(root, seed, Number(values.count)).slice(Number(values.skip))
console.log(`seed ${seed}: ${mutations.length} mutations`)
const copy = copied()
process.on('exit', () => rmSync(copy, { recursive: true, force: true }))
let survived = 0
for (const [at, mutation] of mutations.entries()) {
  const by = caughtBy(mutation)
  if (by === undefined) survived++
  const { file, line, before, after } = mutation
  console.log(
    `${at + 1}. ${file}:${line}\n   - ${before.trim()}\n   + ${after.trim() || '(left out)'}\n   ${by ?? 'SURVIVED'}`,
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
    const room = file.split('/', 1)[0]!
    if (!isTyped(room)) return 'the types'
    const folder = dirname(file)
    const steps = [
      [file.replace(/\.ts$/, '')],
      ...(folder === `${room}/src` ? [] : [[`${folder}/`]]),
      ...(values.near ? [] : [[`${room}/src/`], ['tests/specification/']]),
      ...(values.all ? [['tests/']] : []),
    ]
    for (const words of steps) {
      const failure = failing(words)
      if (failure !== undefined) return failure
    }
    return undefined
  } finally {
    writeFileSync(path, original)
  }
}

function isTyped(room: string): boolean {
  const project = room === 'core' ? 'core' : '.'
  return spawnSync(join(root, 'node_modules', '.bin', 'tsc'), ['-p', project], { cwd: copy }).status === 0
}

/** The first spec that fails, and the words that led to it. */
function failing(words: readonly string[]): string | undefined {
  const { stdout, status } = spawnSync(process.execPath, ['tests/run.ts', ...words], {
    cwd: copy,
    encoding: 'utf8',
  })
  if (status === 0 || /^no spec has/m.test(stdout) || !/\d+ failed/.test(stdout)) return undefined
  return /^✖ (.*)$/m.exec(stdout)?.[1] ?? words.join(' ')
}

/** A checkout of its own: changing a file must not disturb anyone. */
function copied(): string {
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
