import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { newFolder } from '../support/broker.ts'
import { command } from '../support/quipu-command.ts'

const SECRET = `it's a\\b"$HOME"%PATH%`.replaceAll(' ', '_')
const env = { QUIPU_KEY_ID: 'PKTESTTESTTESTTESTTE', QUIPU_SECRET_KEY: SECRET }
const linesFor = async (...line: readonly string[]): Promise<string> => {
  const { code, stdout, stderr } = await command(['env', '--data', newFolder(), ...line], { env })
  assert.equal(code, 0, stderr)
  return stdout
}

const print = 'printf %s "$APCA_API_SECRET_KEY"'

test('the default lines set the variables of sh', async () => {
  const read = execFileSync('sh', ['-c', `${await linesFor()}${print}`], { encoding: 'utf8' })
  assert.equal(read, SECRET)
})

const hasFish = spawnSync('fish', ['--version']).status === 0
test('fish reads its lines', { skip: !hasFish && 'no fish' }, async () => {
  const lines = await linesFor('--shell', 'fish')
  assert.equal(execFileSync('fish', ['-c', `${lines}${print}`], { encoding: 'utf8' }), SECRET)
})

for (const [shell, line] of [
  ['fish', String.raw`set -gx APCA_API_SECRET_KEY 'it\'s_a\\b"$HOME"%PATH%'`],
  ['powershell', String.raw`$env:APCA_API_SECRET_KEY = 'it''s_a\b"$HOME"%PATH%'`],
  ['cmd', String.raw`set "APCA_API_SECRET_KEY=it's_a\b"$HOME"%PATH%"`],
] as const)
  test(`--shell ${shell} prints lines of this shell`, async () => {
    assert.equal((await linesFor('--shell', shell)).split('\n')[1], line)
  })

test('an unknown shell, and a shell for a .env file, are refused', async () => {
  const refused = async (...line: readonly string[]) =>
    (await command(['env', '--data', newFolder(), ...line], { env })).stderr
  assert.match(await refused('--shell', 'nu'), /--shell: expected sh, fish, powershell, cmd, received "nu"/)
  assert.match(await refused('--shell', 'cmd', '--dotenv'), /--shell cannot be combined with --dotenv/)
})
