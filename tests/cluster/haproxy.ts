import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../server/src/process/testing/free-port.ts'
import { newFolder, type Started } from '../broker.ts'
import { pathOf } from '../browser/programs.ts'
import { quipu } from '../quipu-process.ts'
import { waitUntil } from '../wait-until.ts'

export const haproxy = pathOf({
  name: 'HAProxy',
  variable: 'HAPROXY',
  debian: 'haproxy',
  paths: ['/usr/sbin/haproxy', '/usr/local/sbin/haproxy', '/opt/homebrew/bin/haproxy'],
})

/** Starts HAProxy in front of a cluster, with the configuration that the program prints. */
export async function startHaproxy({ dataFolder, brokerKey, brokerSecret }: Started) {
  const file = join(newFolder(), 'haproxy.cfg')
  const bind = `127.0.0.1:${await freePort()}`
  const printed = await quipu(['cluster', 'haproxy', '--bind', bind], {
    env: { QUIPU_DATA: dataFolder!, QUIPU_BROKER_KEY: brokerKey, QUIPU_BROKER_SECRET: brokerSecret },
  })
  assert.equal(printed.code, 0, printed.stderr)
  writeFileSync(file, printed.stdout)
  const proxy = spawn(haproxy, ['-db', '-f', file], { stdio: 'ignore' })
  const url = `http://${bind}`
  await waitUntil('HAProxy answers', async () => (await fetch(`${url}/readyz`).catch(() => undefined))?.ok)
  return {
    url,
    file,
    async stop(): Promise<void> {
      proxy.kill('SIGKILL')
      if (proxy.exitCode === null && proxy.signalCode === null) await once(proxy, 'exit')
    },
  }
}
