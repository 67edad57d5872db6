import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { connect } from 'node:tls'
import { Cluster } from '../../broker/src/postgres/testing/server.ts'
import { newAuthority, newServerCertificate } from '../../cli/src/run/gateway/certificates.ts'
import {
  audit,
  buyShares,
  ISSUER_KEY,
  mint,
  SHARED,
  SHARED_KEY,
  sendTransaction,
  shares,
  startBrokerOn,
  startNode as startChain,
  waitForCompletion,
} from '../chain/stage.ts'
import { startNode, untilHeld } from '../cluster/nodes.ts'
import { call, newFolder, plainEnvironment, startBroker } from '../support/broker.ts'
import { blockOf } from './page.ts'

/** The fingerprint of the certificate that a server shows. */
async function fingerprintOf(url: string): Promise<string> {
  const { hostname: host, port } = new URL(url)
  const socket = connect({ host, port: Number(port), rejectUnauthorized: false })
  await new Promise((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject))
  const { fingerprint256 } = socket.getPeerCertificate()
  socket.destroy()
  return fingerprint256
}

test('after a restart the server shows the new certificate', async (t) => {
  const [folder, data] = [newFolder(), newFolder()]
  const [certificateFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const start = async () => {
    const { certificate, key } = newServerCertificate(newAuthority(new Date()), new Date())
    writeFileSync(certificateFile, certificate)
    writeFileSync(keyFile, key)
    return startBroker(['--data', data], { QUIPU_TLS: `${certificateFile},${keyFile}` })
  }
  const first = await start()
  const before = await fingerprintOf(first.url)
  assert.equal(await first.stop(), 0)
  const second = await start()
  t.after(second.kill)
  assert.notEqual(await fingerprintOf(second.url), before)
})

test('a new password of PostgreSQL: the server continues, and restarts with the new URL', async (t) => {
  const hba = ['host all quipu 127.0.0.1/32 trust', 'host all all 127.0.0.1/32 scram-sha-256', '']
  const cluster = await Cluster.start({ files: { 'pg_hba.conf': hba.join('\n') } })
  t.after(() => cluster.stop())
  const { port } = new URL(cluster.url())
  const superuser = { PGHOST: '127.0.0.1', PGPORT: port, PGUSER: 'quipu' }
  await cluster.run("CREATE ROLE quipu_server LOGIN PASSWORD 'old-password'")
  await cluster.run('CREATE DATABASE rotated OWNER quipu_server')
  const urlWith = (password: string) =>
    cluster.url('rotated').replace(/\/\/[^@]*@/, `//quipu_server:${password}@`)
  const file = join(newFolder(), 'store')
  const data = newFolder()
  const start = (password: string) => {
    writeFileSync(file, urlWith(password))
    return startBroker(['--data', data], { QUIPU_STORE_FILE: file })
  }
  const first = await start('old-password')
  t.after(first.kill)
  // Without a terminal, psql reads the new password twice from its input.
  const psql = spawnSync(
    'setsid',
    ['--wait', 'sh', '-euc', blockOf('rotate.md', 'sh', 'password quipu_server')],
    {
      input: 'new-password\nnew-password\n',
      env: plainEnvironment(superuser),
      encoding: 'utf8',
    },
  )
  assert.equal(psql.status, 0, psql.stderr)
  assert.equal((await call(first, 'GET', '/v2/account')).status, 200)
  assert.equal(await first.stop(), 0)
  await assert.rejects(start('old-password'), /password authentication failed/)
  const second = await start('new-password')
  t.after(second.kill)
  assert.equal((await call(second, 'GET', '/v2/account')).status, 200)
})

test('a new cluster secret: a node with it does not join the old nodes; after a stop of all nodes it works', async (t) => {
  const cluster = await Cluster.start()
  t.after(() => cluster.stop())
  const store = await cluster.database('secrets')
  const env = { QUIPU_CLUSTER_SECRET: 'another-secret-that-all-nodes-will-share' }
  const nodes = [await startNode(store), await startNode(store)]
  t.after(() => Promise.all(nodes.map((node) => node.kill())))
  await assert.rejects(startNode(store, [], env), /secret/i)
  for (const node of nodes.splice(0)) assert.equal(await node.stop(), 0)
  nodes.push(await startNode(store, [], env), await startNode(store, [], env))
  await untilHeld(nodes[0]!, 'main')
  for (const node of nodes) assert.equal((await call(node, 'GET', '/v2/account')).status, 200)
})

test('a new chain key mints after the contract has the new issuer, and the audit finds no difference', async (t) => {
  const chain = await startChain()
  t.after(() => chain.close())
  const folder = newFolder()
  const first = await startBrokerOn(chain.url, folder)
  await buyShares(first, 'AAPL', '3')
  await waitForCompletion(first, await mint(first, '1'))
  const token = async (broker: typeof first) => {
    const path = '/v2/tokenization/tokens?issuer=xstocks&network=ethereum&underlying_symbol=AAPL'
    return JSON.stringify((await call(broker, 'GET', path)).body)
  }
  const [, contract] = /"contract_address":"(0x[0-9a-fA-F]{40})"/.exec(await token(first))!
  assert.equal(await first.stop(), 0)
  // setIssuer(address)
  await sendTransaction(chain, ISSUER_KEY, contract, `0x55cc4e57${SHARED.slice(2).padStart(64, '0')}`)
  const keyFile = join(newFolder(), 'key')
  writeFileSync(keyFile, `${SHARED_KEY}\n`)
  const second = await startBrokerOn(chain.url, folder, { QUIPU_CHAIN_KEY_FILE: keyFile })
  t.after(second.kill)
  await waitForCompletion(second, await mint(second, '1'))
  assert.match(await token(second), new RegExp(`"redemption_wallet":"${SHARED}"`, 'i'))
  assert.equal(await shares(second), '1')
  assert.deepEqual((await audit(second)).problems, [])
})
