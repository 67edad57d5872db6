import { test } from 'node:test'
import type { Journal } from '../../journal/journal.ts'
import type { QueryTables } from '../query-tables.ts'

/** An empty journal and a function that opens query tables of it. */
export type Store = { readonly journal: Journal; readonly open: () => Promise<QueryTables> }
export type OpenStore = () => Promise<Store>
export type Rule = (title: string, run: (store: Store) => Promise<void>) => void

/** Registers tests, each with its own store. */
export function ruleOf(name: string, openStore: OpenStore): Rule {
  return (title, run) => {
    test(`${name}: ${title}`, async () => {
      const store = await openStore()
      await run(store).finally(() => store.journal.close())
    })
  }
}
