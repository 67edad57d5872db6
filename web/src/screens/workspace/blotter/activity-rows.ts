import { effect, signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { AccountStore, Activity } from '../../../live/account-store.ts'
import { current } from '../../../live/current.ts'

const PAGE = 100
const READ_MAX = 10_000

export type Fill = Extract<Activity, { readonly transaction_time: string }>

export const isFill = (activity: Activity): activity is Fill => activity.activity_type === 'FILL'

/** Activities of the account, newest first: the store has the last ones, older ones are read when they are needed. */
export class ActivityRows {
  readonly rows = signal<readonly Activity[] | undefined>(undefined)
  readonly isComplete = signal(false)
  readonly problem = signal<Error | undefined>(undefined)
  readonly #store: AccountStore
  readonly #onlyFills: boolean
  #reading: Promise<void> | undefined

  constructor(store: AccountStore, onlyFills: boolean) {
    this.#store = store
    this.#onlyFills = onlyFills
  }

  /** Follows the store. Returns a function that ends it. */
  follow(): () => void {
    return effect(() => {
      const newest = this.#store.activities.value
      if (newest !== undefined) this.#take(this.#onlyFills ? newest.filter(isFill) : newest)
    })
  }

  readMore(): Promise<void> {
    this.#reading ??= this.#readPage().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  async readAll(): Promise<void> {
    this.problem.value = undefined
    while (!this.isComplete.peek() && this.problem.peek() === undefined) await this.readMore()
  }

  /** Rows that do not continue those on screen replace them: some are missing in between, or the world was reset. */
  #take(newest: readonly Activity[]): void {
    const known = this.rows.peek()
    const first = known?.[0]
    const at = first === undefined ? -1 : newest.findIndex(({ id }) => id === first.id)
    if (known && at >= 0) {
      if (at > 0) this.rows.value = [...newest.slice(0, at), ...known].slice(0, READ_MAX)
      return
    }
    this.rows.value = newest
    this.isComplete.value = false
  }

  async #readPage(): Promise<void> {
    const known = this.rows.peek()
    if (known === undefined || this.isComplete.peek()) return
    const last = known.at(-1)?.id
    const query = {
      page_size: PAGE,
      ...(this.#onlyFills && { activity_types: ['FILL' as const] }),
      ...(last !== undefined && { page_token: last }),
    }
    try {
      const page = await this.#store.connection.client.listActivities({ query })
      // The store has taken newer ones meanwhile, or begun again.
      const now = this.rows.peek() ?? []
      if (now.at(-1)?.id !== last) return
      this.rows.value = [...now, ...page]
      this.isComplete.value = page.length < PAGE || now.length >= READ_MAX
      this.problem.value = undefined
    } catch (error) {
      this.problem.value = error as Error
    }
  }
}

/** The activities of the account on screen. */
export function useActivityRows(onlyFills: boolean): ActivityRows | undefined {
  const store = current.value?.store
  const rows = useMemo(() => store && new ActivityRows(store, onlyFills), [store, onlyFills])
  useEffect(() => rows?.follow(), [rows])
  return rows
}
