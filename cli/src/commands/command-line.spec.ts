import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Operation, operations } from '@quipu/contract'
import { settingNames } from '@quipu/server/config/config.ts'
import { flagOf } from '@quipu/server/config/setting.ts'
import { cliReference } from '../../../docs/pages/commands.ts'
import { inputsOf } from './call.ts'
import { UsageError } from './command.ts'
import { parseLine } from './command-line.ts'
import { commandGroups, commands } from './commands.ts'
import { helpText } from './help.ts'

const parse = (line: string) => {
  const parsed = parseLine(line.split(' '), commands)
  if (parsed.kind !== 'run') return parsed
  const { command, json, settings, args } = parsed
  return { run: command.name, json, ...Object.fromEntries([...settings, ...args]) }
}

const accepted: readonly (readonly [string, object])[] = [
  ['start', { run: 'start', json: false }],
  ['start --port 1 --json', { run: 'start', json: true, port: '1' }],
  ['start --port=1', { run: 'start', json: false, port: '1' }],
  ['--json world list', { run: 'world list', json: true }],
  ['--data x world --url u list', { run: 'world list', json: false, data: 'x', url: 'u' }],
  ['world create friday --seed 42', { run: 'world create', json: false, NAME: 'friday', seed: '42' }],
  ['world create', { run: 'world create', json: false }],
  ['world delete -- --odd', { run: 'world delete', json: false, NAME: '--odd' }],
  ['clock run -1', { run: 'clock run', json: false, SPEED: '-1' }],
  ['status --wait', { run: 'status', json: false, wait: '' }],
  ['start --help', { kind: 'help', about: 'start' }],
  ['world -h', { kind: 'help', about: 'world' }],
  ['--help', { kind: 'help', about: '' }],
  ['--version', { kind: 'version' }],
  ['help', { kind: 'help', about: '' }],
  ['help world', { kind: 'help', about: 'world' }],
  ['help world fork', { kind: 'help', about: 'world fork' }],
  ['help start', { kind: 'help', about: 'start' }],
]

for (const [line, meaning] of accepted) {
  test(`quipu ${line}`, () => assert.deepEqual(parse(line), meaning))
}

const secretFlag =
  '--cluster-secret is no flag, because other users of the machine can read flags: set QUIPU_CLUSTER_SECRET_FILE or QUIPU_CLUSTER_SECRET'

const refused: readonly (readonly [string, string])[] = [
  ['strat', 'unknown command strat: did you mean start?'],
  ['help strat', 'unknown command strat: did you mean start?'],
  ['help world frok', 'unknown command world frok: did you mean fork?'],
  ['xyzzy', 'unknown command xyzzy; `quipu --help` lists them'],
  [
    'world',
    'world: expected one of list, show, symbols, create, fork, reset, delete, rename, note, diff, save, load',
  ],
  ['world frok', 'unknown command world frok: did you mean fork?'],
  [
    'world xyzzy',
    'unknown command world xyzzy: expected one of list, show, symbols, create, fork, reset, delete, rename, note, diff, save, load',
  ],
  ['start --prot 1', 'unknown flag --prot: did you mean --port?'],
  ['start --cluster-secret x', secretFlag],
  ['start --cluster-secret=x', secretFlag],
  ['--cluster-secret x start', secretFlag],
  ['start --passphrase=x', 'unknown flag --passphrase; `quipu start --help` lists them'],
  ['start -p 1', 'unknown flag -p; `quipu start --help` lists them'],
  ['stop --port 1', 'unknown flag --port; `quipu stop --help` lists them'],
  ['start --port', '--port: expected a value after it'],
  ['start --port --json', '--port: expected a value after it'],
  ['start --json=1', '--json takes no value'],
  ['start now', 'start: expected nothing more, received "now"'],
  ['world delete', 'world delete: expected NAME, e.g. quipu world delete friday'],
]

for (const [line, message] of refused) {
  test(`quipu ${line}: ${message}`, () => assert.throws(() => parse(line), new UsageError(message)))
}

test('a flag takes a value in all commands or in none', () => {
  const kinds = new Map(settingNames.map((name) => [flagOf(name), true]))
  for (const { flags = {} } of commands)
    for (const [name, { placeholder }] of Object.entries(flags)) {
      const takesValue = placeholder !== undefined
      assert.equal(kinds.get(`--${name}`) ?? takesValue, takesValue, name)
      kinds.set(`--${name}`, takesValue)
    }
})

test('the flags and arguments of a command with one call are fields of its request', () => {
  const callsOnce = commands.filter(({ run }) => run.name === 'callOperation')
  assert.ok(callsOnce.length > 40)
  for (const command of callsOnce) {
    const { params, query, headers, body } = operations[command.operations![0]!] as Operation
    const parts = [params, query, headers, body as typeof params]
    const known = parts.flatMap((part) => Object.keys(part?.fields ?? {}))
    for (const { typed, field } of inputsOf(command))
      assert.ok(field === null || known.includes(field), `${command.name}: ${typed} sets ${field}`)
  }
})

for (const { name, example } of commands) {
  test(`quipu ${name} has help with an example that can be parsed`, () => {
    assert(helpText(name, commandGroups).includes(`Example:\n  ${example}`))
    const words = example
      .match(/quipu ([^>")]*)/)![1]!
      .trim()
      .split(' ')
    assert.deepEqual(
      parseLine(words, commands).kind === 'run' && words.slice(0, name.split(' ').length).join(' '),
      name,
    )
  })
}

test('the reference names every command and every setting once', () => {
  const page = cliReference()
  for (const { name } of commands)
    assert.equal(page.split(new RegExp(`^## quipu ${name}(?=$| [-A-Z[])`, 'm')).length, 2, name)
  for (const name of settingNames) assert.equal(page.split(`\n| \`${name}\` |`).length, 2, name)
})
