import assert from 'node:assert/strict'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { after } from 'node:test'
import { Cluster } from '../../broker/src/postgres/testing/server.ts'
import { type Body, newFolder } from '../support/broker.ts'
import { command } from '../support/quipu-command.ts'
import { type SampleFolder, sampleFolder } from './sample-folder.ts'

export const cluster = await Cluster.common()
after(() => cluster.stop())

export const storeOn = (databaseUrl: string, verb: string, ...rest: readonly string[]) =>
  command(['store', verb, '--json', ...rest], { env: { QUIPU_STORE: databaseUrl } })

/** Runs a command that must succeed and returns its output. */
export async function runOn(databaseUrl: string, verb: string, ...rest: readonly string[]): Promise<Body> {
  const { code, stdout, stderr } = await storeOn(databaseUrl, verb, ...rest)
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout)
}

type RestoredSample = {
  readonly sample: SampleFolder
  /** A database with the restored backup, and a data folder with its credentials. */
  readonly url: string
  readonly data: string
}

let restoring: Promise<RestoredSample> | undefined

/** The same database for every spec of a process. */
export function restoredSample(): Promise<RestoredSample> {
  restoring ??= restoreSample()
  return restoring
}

async function restoreSample(): Promise<RestoredSample> {
  const sample = await sampleFolder()
  const url = await cluster.database('moved')
  const data = join(newFolder(), 'data')
  cpSync(join(sample.data, 'credentials.json'), join(data, 'credentials.json'))
  const restored = await runOn(url, 'restore', sample.backup, '--data', data)
  assert.deepEqual([restored.seq, restored.hash], [sample.head.seq, sample.head.hash])
  assert.equal(restored.credentials, 'of the data folder')
  return { sample, url, data }
}
