import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { publicStatus, type RequestStatus, requestMoves } from '@quipu/core'
import { freePort } from '../../broker/src/postgres/testing/free-port.ts'
import { newFolder, plainEnvironment } from '../support/broker.ts'
import { command } from '../support/quipu-command.ts'
import { pathWithQuipu, quipu, withQuipu } from '../support/quipu-process.ts'

const root = join(import.meta.dirname, '..', '..')
const guide = readFileSync(join(root, 'docs', 'guides', 'tokenization.md'), 'utf8')
const blocks = [...guide.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map((match) => match[1]!)

test('the commands of the guide, run in one shell, mint and redeem, also with a custom issuer', async (t) => {
  const folder = newFolder()
  const started = await quipu(['start', '--detach', '--port', '0', '--data', folder])
  t.after(() => command(['stop', '--data', folder]))
  assert.equal(started.code, 0, started.stderr)
  assert.equal(blocks.length, 7)
  const marked = blocks.map((block) => `${block}\necho; echo =====`).join('\n')
  const shell = spawn('sh', ['-ec', withQuipu(marked)], {
    cwd: root,
    env: plainEnvironment({
      QUIPU_DATA: folder,
      ISSUER: `127.0.0.1:${await freePort()}`,
      PATH: pathWithQuipu,
    }),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const output = await text(shell.stdout)
  if (shell.exitCode === null) await once(shell, 'exit')
  assert.equal(shell.exitCode, 0, output)
  const [, minted = '', redeemed = '', , , , called = ''] = output.split('=====\n')
  assert.match(minted, /"status":"pending"[\s\S]*"token_symbol":"AAPLx"[\s\S]*"status":"completed"/)
  assert.match(redeemed, /"type":"redeem"[\s\S]*"status":"completed"/)
  assert.equal([...redeemed.matchAll(/"activity_type":"JNLS"/g)].length, 2)
  const callback = JSON.parse(called)
  assert.deepEqual([callback.status, callback.qty, callback.token_symbol], ['completed', '1.5', 'tAAPL'])
  const configure = [
    'issuer',
    'configure',
    'xstocks',
    '--outcome',
    'late',
    '--by-wallet',
    '0xA=hold,0xB=never',
  ]
  const configured = JSON.parse((await command([...configure, '--json', '--data', folder])).stdout)
  assert.deepEqual(
    [configured.behaviour.outcome, configured.behaviour.wallets],
    ['late', { '0xa': 'hold', '0xb': 'never' }],
  )
  const audit = await command(['audit', '--data', folder])
  assert.equal(audit.code, 0, audit.stdout)
  assert.match(audit.stdout, /^ {2}xstocks keeps 1 AAPL, 1\/1 for each token: 1 on base, 0 in flight$/m)
  assert.match(audit.stdout, /^ {2}st0x keeps 1\.5 AAPL, 1\/1 for each token: 1\.5 on base, 0 in flight$/m)
})

const wire = (status: string): string => (status === 'issuerAccepted' ? 'issuer_accepted' : status)
const statuses = Object.keys(requestMoves) as RequestStatus[]

test('the diagram of the guide matches the transitions in the core', () => {
  const steps = statuses.flatMap((from) =>
    Object.entries(requestMoves[from]).map(([move, to]) => `  ${wire(from)} --> ${wire(to)}: ${move}`),
  )
  const ends = statuses.filter((status) => Object.keys(requestMoves[status]).length === 0)
  const diagram = [
    'stateDiagram-v2',
    '  [*] --> received',
    ...steps,
    ...ends.map((end) => `  ${end} --> [*]`),
  ]
  const [, mermaid] = /^```mermaid\n([\s\S]*?)\n```$/m.exec(guide) ?? []
  assert.equal(mermaid, diagram.join('\n'))
})

test('the guide maps every state to its public status', () => {
  for (const status of statuses)
    assert.ok(guide.includes(`| \`${wire(status)}\` | \`${publicStatus({ status })}\` |`), status)
})
