import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePort } from '../../broker/src/postgres/testing/free-port.ts'
import { pathOf, programs } from '../programs/debian.ts'
import { newFolder, type Started } from '../support/broker.ts'
import { quipu } from '../support/quipu-process.ts'
import { waitUntil } from '../support/wait-until.ts'

export const haproxy = pathOf(programs.haproxy)

/** Only root may become the user of the file. */
const forThisUser = (text: string): string =>
  process.getuid?.() === 0 ? text : text.replace(/^ {2}(user|group) .*\n/gm, '')

/** Starts HAProxy in front of a cluster, with the configuration that the program prints. */
export async function startHaproxy({ dataFolder, brokerKey, brokerSecret }: Started) {
  const file = join(newFolder(), 'haproxy.cfg')
  const bind = `127.0.0.1:${await freePort()}`
  const printed = await quipu(['cluster', 'haproxy', '--bind', bind], {
    env: { QUIPU_DATA: dataFolder!, QUIPU_BROKER_KEY: brokerKey, QUIPU_BROKER_SECRET: brokerSecret },
  })
  assert.equal(printed.code, 0, printed.stderr)
  writeFileSync(file, forThisUser(printed.stdout))
  // As Debian's haproxy.service does, without its notification of systemd.
  const proxy = spawn(haproxy, ['-W', '-f', file], { stdio: ['ignore', 'pipe', 'pipe'] })
  const log: string[] = []
  for (const output of [proxy.stdout, proxy.stderr])
    createInterface(output).on('line', (line) => log.push(line))
  const url = `http://${bind}`
  await waitUntil('HAProxy answers', async () => {
    assert.equal(proxy.exitCode, null, log.join('\n'))
    return (await fetch(`${url}/readyz`).catch(() => undefined))?.ok
  })
  return {
    url,
    file,
    log,
    async stop(): Promise<void> {
      // The worker of HAProxy ends with its master only if the master may end it.
      proxy.kill('SIGTERM')
      if (proxy.exitCode === null && proxy.signalCode === null) await once(proxy, 'exit')
    },
  }
}
