import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { addressOf, connect, disconnect } from './connection.ts'
import { Cluster } from './testing/server.ts'

const primary = await Cluster.start()
const standby = await primary.startStandby()
after(() => Promise.all([primary.stop(), standby.stop()]))

const [first, second] = [primary, standby].map((server) => new URL(server.url()).host)
const url = primary.url().replace(first!, `${first},${second}`)

/** The host that a connection uses. */
async function hostOf(): Promise<string> {
  const connection = await connect(url)
  await disconnect(connection)
  return `${connection.host}:${connection.port}`
}

// The former primary still accepts reads. It lacks what was stored since, such as a world that was created.
test('after a promotion, a process uses the promoted standby and never the former primary', async () => {
  assert.equal(await hostOf(), first)
  await standby.promote()
  assert.equal(await hostOf(), second)
  await standby.kill()
  const former = `${addressOf(primary.url())} is a former primary: timeline 1, not 2`
  await assert.rejects(hostOf(), (error: Error) => error.message.includes(former))
  await standby.start()
  assert.equal(await hostOf(), second)
})
