import { resolve } from 'node:path'
import { clockBehindSeconds } from '@quipu/broker/clock/watch.ts'
import { type Asking, askNode } from '@quipu/broker/cluster/ask-node.ts'
import type { World } from '@quipu/broker/world/world.ts'
import { errorMessage } from '@quipu/core/values'
import type { Config } from '../config/config.ts'
import { exposureOf } from '../config/exposure.ts'
import { type Check, finding, findingsOr, fine } from '../doctor/check.ts'
import { backupCheck, certificateFileCheck, diskCheck, filesCheck } from '../doctor/machine.ts'
import { readinessFix } from '../doctor/readiness.ts'
import { shellWord } from '../doctor/shell-word.ts'
import type { Doctor, Services } from '../http/services.ts'
import type { Backups } from '../http/sim/store.ts'
import { whyNotReady } from '../http/sim/system.ts'

/** More events than one busy second has. */
const LAG_MAX = 10_000

const NODE_MS = 10_000

/** The checks of a running server. Loads the PostgreSQL library only if the server uses it. */
export function doctorOf(config: Config, backups: Backups): Doctor {
  const own = (services: Services) => Promise.resolve(ownChecks(config, services))
  return {
    own,
    async whole(services) {
      const { store } = config
      const database =
        store.kind === 'postgres'
          ? await (await import('../doctor/database.ts')).examineDatabase(store.url, Date.now)
          : { checks: [] }
      return [
        ...(await allNodes(services, await own(services))),
        ...database.checks,
        ...(await backupChecks(config, backups, database)),
      ]
    },
  }
}

/** What only this process knows. */
function ownChecks(config: Config, services: Services): readonly Check[] {
  const { data, tls, connectionsMax } = config
  const folders = [...new Set([data.kind === 'folder' ? data.path : [], config.backups ?? []].flat())]
  return [
    readinessCheck(services, folderOf(config)),
    ...exposureOf(config).map((problem) =>
      finding('address', problem, 'quipu config show    # docs/guides/shared-server.md'),
    ),
    ...(tls.kind === 'files' ? [certificateFileCheck(tls.certificate, Date.now())] : []),
    ...clockChecks(services),
    ...folders.map(diskCheck),
    filesCheck(services.limits.connectionsMax, connectionsMax),
    ...lagChecks(
      services.worlds.all().filter(({ status }) => status.isUp),
      folderOf(config),
    ),
  ]
}

/** In a cluster each node runs its own checks, and the results begin with its address. */
async function allNodes({ cluster }: Services, own: readonly Check[]): Promise<readonly Check[]> {
  if (!cluster) return own
  const { secret, view, name: here } = cluster
  const each = view.table.nodes.map(async ({ name, address }) => {
    const checks = name === here ? own : await checksOfNode({ address, secret, timeoutMs: NODE_MS })
    return checks.map((check) => ({ ...check, detail: `${address}: ${check.detail}` }))
  })
  return (await Promise.all(each)).flat()
}

async function checksOfNode(node: Asking): Promise<readonly Check[]> {
  try {
    return ((await askNode(node, 'doctor', {})) as { readonly checks: readonly Check[] }).checks
  } catch (error) {
    const fix = `curl -v ${shellWord(`${node.address}/readyz`)}    # check the network and QUIPU_NODE_URL`
    return [finding('address', errorMessage(error), fix)]
  }
}

const folderOf = ({ data }: Config): string | undefined => (data.kind === 'folder' ? data.path : undefined)

function readinessCheck(services: Services, folder: string | undefined): Check {
  const problem = whyNotReady(services)
  if (problem === undefined) return fine('server', `version ${services.serverState.version}, ready`)
  return finding('server', `not ready: ${problem}`, readinessFix(problem, folder))
}

function clockChecks({ worlds }: Services): readonly Check[] {
  const behind = worlds.all().filter((world) => clockBehindSeconds(world) > 0)
  const findings = behind.map((world) =>
    finding(
      'clock',
      `it is ${clockBehindSeconds(world)} s behind the last event of ${world.id}`,
      'timedatectl set-ntp true    # docs/guides/operations.md, "The wall clock"',
    ),
  )
  return findingsOr(findings, fine('clock', 'it is not behind the last event'))
}

async function backupChecks(
  config: Config,
  backups: Backups,
  { backedUpMs }: { readonly backedUpMs?: number | undefined },
): Promise<readonly Check[]> {
  const folder = folderOf(config)
  if (folder === undefined && config.store.kind === 'embedded')
    return [fine('backup', 'the server keeps nothing (--data memory)')]
  const last = await backups.last()
  const known = [last && Date.parse(last.at), backedUpMs].filter((ms) => ms !== undefined)
  return [backupCheck(known.length > 0 ? Math.max(...known) : undefined, Date.now(), folder)]
}

/** Events that are not stored yet, and stored ones that the query tables do not have yet. */
export function lagChecks(worlds: readonly World[], folder: string | undefined): readonly Check[] {
  const rebuild = `quipu store rebuild${folder === undefined ? '' : ` --data ${shellWord(resolve(folder))}`}`
  const findings = worlds.flatMap(({ id, view, engine, storage }) => {
    const [unstored, behind] = [view.seq - engine.durable, engine.durable - storage.queryTables.position()]
    return [
      ...(unstored > LAG_MAX
        ? [
            finding(
              'lag',
              `${unstored} events of ${id} wait for the disk or the database`,
              'iostat -x 5    # find a faster disk, or what else uses it',
            ),
          ]
        : []),
      ...(behind > LAG_MAX
        ? [
            finding(
              'lag',
              `the query tables of ${id} are ${behind} events behind`,
              `systemctl stop quipu && ${rebuild} && systemctl start quipu    # if it does not decrease by itself`,
            ),
          ]
        : []),
    ]
  })
  return findingsOr(findings, fine('lag', `no world is more than ${LAG_MAX} events behind`))
}
