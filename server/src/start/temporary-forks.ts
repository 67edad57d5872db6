import type { Cluster } from '@quipu/broker/cluster/cluster.ts'
import type { Log } from '@quipu/broker/log/log.ts'
import { TemporaryForks } from '@quipu/broker/registry/temporary.ts'
import type { Worlds } from '@quipu/broker/registry/worlds.ts'

type Shared = { readonly worlds: Worlds; readonly cluster?: Cluster | undefined }

/** Deletes unused temporary forks that this process holds. */
export const temporaryForks = (log: Log, { worlds, cluster }: Shared): TemporaryForks =>
  new TemporaryForks(worlds, {
    isFollowedElsewhere: (world) =>
      cluster?.view.table.worlds.some(({ record }) => record?.follows === world) === true,
    deleted: (world) => log.info('deleted an unused temporary fork', { world }),
    failed: (world, error) =>
      log.warn('an unused temporary fork was not deleted', { world, error: String(error) }),
  })
