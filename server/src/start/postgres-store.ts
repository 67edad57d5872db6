import { MARKET_MODEL } from '@quipu/core'
import { openPostgresAccess } from '../access/postgres.ts'
import { lossInPostgres, setProofAside } from '../backup/postgres-loss.ts'
import { Fenced, JournalLost } from '../journal/journal.ts'
import { openPostgresJournal } from '../journal/postgres.ts'
import { newHolder } from '../journal/postgres-lease.ts'
import { openPool, primaryOf, transaction, withConnection } from '../postgres/connection.ts'
import { durabilityWarnings } from '../postgres/durability.ts'
import { openPostgresViews } from '../views/postgres/postgres.ts'
import { loadPostgresSnapshot } from '../views/postgres/snapshot.ts'
import { MAIN, type MainStore } from '../worlds/worlds.ts'
import type { StoreTold } from './main-store.ts'

/**
 * Journal, views and snapshots in PostgreSQL. The first opening takes the world over from whoever had it; the later
 * ones, after a failure, only if nobody else has taken it meanwhile.
 */
export function postgresStore(url: string, told: Omit<StoreTold, 'recovered'>, world = MAIN): MainStore {
  const { warn } = told
  const holder = newHolder()
  // Of several hosts the one that took writes when the journal was opened. Each opening chooses again.
  let primary = url
  let pool = openPool(primary)
  let lost: (error: unknown) => void = () => {}
  let isTold = false
  let accept = told.acceptJournalLoss
  const taken = async (): Promise<void> => {
    const loss = await lossInPostgres(pool, world)
    if (loss && !accept) throw loss
    if (loss) {
      const aside = await withConnection(primary, (connection) =>
        transaction(connection, () => setProofAside(connection, world, loss)),
      )
      warn(`${loss.message}; the proof is kept in the rows of world ${aside}`)
    }
    accept = false
  }
  const tellOnce = async (): Promise<void> => {
    if (!isTold) for (const line of await durabilityWarnings(pool)) warn(line)
    isTold = true
  }
  return {
    async openJournal() {
      primary = await primaryOf(url)
      pool = openPool(primary)
      const journal = await openPostgresJournal({
        url: primary,
        world,
        marketModel: MARKET_MODEL,
        holder,
        onLost: (error) => lost(error),
        onTaken: taken,
      })
      try {
        await tellOnce()
        return journal
      } catch (error) {
        await journal.close()
        throw error
      }
    },
    openViews(journal, onFailure) {
      // A journal that is lost while nothing is stored ends this life as views do: there is nothing to refuse.
      lost = onFailure
      const opening = openPostgresViews({ url: primary, world, journal, log: warn, onFailure })
      return opening.catch(async (error) => {
        // A newer engine may have taken the world since, and gone on: then nothing is lost.
        if (error instanceof JournalLost && !(await lossInPostgres(pool, world)))
          throw new Fenced(world, 'another')
        throw error
      })
    },
    snapshot: (journal, upTo) => loadPostgresSnapshot(pool, world, journal, upTo),
    access: openPostgresAccess(() => primary, world),
  }
}
