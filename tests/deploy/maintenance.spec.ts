import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  type Broker,
  call,
  callAsOperator,
  newFolder,
  plainEnvironment,
  startBroker,
} from '../support/broker.ts'
import { hasAllCases } from '../support/cases.ts'
import { program, serverNode } from '../support/program.ts'
import { command } from '../support/quipu-command.ts'
import { pathWithQuipu } from '../support/quipu-process.ts'
import { backupCommands, block, blockOf, without } from './page.ts'

/** A user without rights, as a unit with `DynamicUser` has one. */
const USER = 65_534
const asUser = (line: readonly string[]): readonly string[] => [
  `--reuid=${USER}`,
  `--regid=${USER}`,
  '--clear-groups',
  ...line,
]

/** Only root can have another user run the server, and that user must be able to read the program. */
function obstacle(): string | false {
  if (process.getuid?.() !== 0) return 'only root can start a server as another user'
  const { status } = spawnSync('setpriv', asUser([serverNode, program, '--version']))
  return status === 0 ? false : 'another user cannot run the program'
}

/** The data folder of a unit with `DynamicUser`: a link into a folder that only root enters. */
function stateFolder(): { readonly parent: string; readonly data: string } {
  const parent = newFolder()
  chmodSync(parent, 0o755)
  mkdirSync(join(parent, 'private', 'quipu'), { recursive: true, mode: 0o755 })
  chownSync(join(parent, 'private', 'quipu'), USER, USER)
  chmodSync(join(parent, 'private', 'quipu'), 0o700)
  symlinkSync('private/quipu', join(parent, 'quipu'))
  return { parent, data: join(parent, 'quipu') }
}

/** Starts the server as the user. */
async function startAsUser(data: string): Promise<Broker> {
  const node = join(newFolder(), 'node')
  writeFileSync(node, `#!/bin/sh\nexec setpriv ${asUser([serverNode]).join(' ')} "$@"\n`, { mode: 0o755 })
  return startBroker(['--data', data], {}, program, node)
}

/** The files below a folder that do not belong to the user. */
const ofOthers = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .map(({ parentPath, name }) => join(parentPath, name))
    .concat(folder)
    .filter((path) => lstatSync(path).uid !== USER)

const GUIDE = 'backup.md'
const BACKUPS = '/var/backups/quipu'
const service = blockOf(GUIDE, 'ini', 'Type=oneshot')

test('systemd accepts the units of the backup, which have the secrets of the service, without a message', {
  skip: without('systemd-analyze'),
}, () => {
  const folder = newFolder()
  const secrets = block('ini', 'LoadCredential')
  mkdirSync(join(folder, 'quipu.service.d'))
  writeFileSync(join(folder, 'quipu.service.d', 'secrets.conf'), secrets)
  execFileSync('sh', [
    '-euc',
    block('sh', 'quipu-backup.service.d').replaceAll('/etc/systemd/system', folder),
  ])
  const shared = join(folder, 'quipu-backup.service.d', 'secrets.conf')
  assert.equal(readFileSync(shared, 'utf8'), secrets)
  const files = { 'quipu-backup.service': service, 'quipu-backup.timer': blockOf(GUIDE, 'ini', '[Timer]') }
  for (const [name, text] of Object.entries(files))
    writeFileSync(join(folder, name), text.replaceAll('/usr/local/bin/quipu', process.execPath))
  const units = Object.keys(files).map((name) => join(folder, name))
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...units], {
    encoding: 'utf8',
  })
  assert.deepEqual([status, stderr], [0, ''])
  // An unknown key in the shared file is a message: systemd reads it for the backup.
  appendFileSync(shared, 'UnknownKey=1\n')
  assert.match(
    spawnSync('systemd-analyze', ['verify', '--man=no', ...units], { encoding: 'utf8' }).stderr,
    /UnknownKey/,
  )
})

const order = { symbol: 'BTC/USD', qty: '0.01', side: 'buy', type: 'market', time_in_force: 'gtc' }
const lastBackup = async (broker: Broker) =>
  (await callAsOperator(broker, 'GET', '/sim/v1/worlds/main/store')).body.last_backup

/** Runs commands of the guide as root, with the folders of the test. `systemctl` only prints its words. */
function runGuide(
  commands: string,
  { data, backups }: { readonly data: string; readonly backups: string },
): string {
  const bin = newFolder()
  writeFileSync(join(bin, 'systemctl'), '#!/bin/sh\necho systemctl "$@"\n', { mode: 0o755 })
  const text = commands.replaceAll(BACKUPS, backups).replaceAll('/var/lib/quipu', data)
  const env = plainEnvironment({ PATH: `${bin}:${pathWithQuipu}`, QUIPU_DATA: data })
  return execFileSync('sh', ['-c', text], { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

test('maintenance by root leaves every file to the user of the service', { skip: obstacle() }, async (t) => {
  const { parent, data } = stateFolder()
  const folders = { data, backups: join(newFolder(), 'backups') }
  const first = await startAsUser(data)
  t.after(first.kill)
  assert.equal((await call(first, 'POST', '/v2/orders', order)).status, 200)

  for (const line of backupCommands(folders.backups)) runGuide(line, folders)
  assert.deepEqual(readdirSync(folders.backups).length, 1)
  assert.equal((await lastBackup(first)).folder, join(folders.backups, readdirSync(folders.backups)[0]!))
  const inside = await command(['store', 'backup', join(data, 'backups', 'inside'), '--data', data])
  assert.equal(inside.code, 0, inside.stderr)
  assert.equal((await lastBackup(first)).name, 'inside')
  if (hasAllCases) assert.match(runGuide(blockOf(GUIDE, 'sh', '$drill'), folders), /sound/)
  assert.equal(await first.stop(), 0)
  assert.deepEqual(ofOthers(join(parent, 'private', 'quipu')), [])

  const rebuilt = await command(['store', 'rebuild', '--data', data])
  assert.equal(rebuilt.code, 0, rebuilt.stderr)
  const restore = blockOf(GUIDE, 'sh', '--replace')
  // Folders of backups that did not end are not chosen, and a damaged backup is found before the service stops.
  const [made] = readdirSync(folders.backups)
  for (const name of ['20990101T000000Z', '20990102T000000Z.tmp-1']) {
    cpSync(join(folders.backups, made!), join(folders.backups, name), { recursive: true })
    if (!name.includes('tmp')) rmSync(join(folders.backups, name, 'backup.json'))
  }
  const damaged = join(folders.backups, '20980101T000000Z')
  mkdirSync(damaged)
  writeFileSync(join(damaged, 'backup.json'), '{}')
  assert.throws(
    () => runGuide(restore, folders),
    ({ stdout }) => !stdout.includes('systemctl stop'),
  )
  rmSync(damaged, { recursive: true })
  const output = runGuide(restore, folders)
  assert.match(output, /^systemctl stop quipu\n[\s\S]*^systemctl start quipu$/m)
  assert.equal(readlinkSync(data), 'private/quipu', 'the link of the service manager is unchanged')
  const [current, before, ...others] = readdirSync(join(parent, 'private')).sort()
  assert.deepEqual([current, others], ['quipu', []])
  assert.match(before!, /^quipu\.before-restore-/)
  for (const name of [current!, before!]) assert.deepEqual(ofOthers(join(parent, 'private', name)), [])

  const again = await startAsUser(data)
  t.after(again.kill)
  assert.equal((await call({ ...first, url: again.url }, 'GET', '/v2/orders?status=all')).body.length, 1)
  assert.equal(await again.stop(), 0)
})
