import { computed, signal } from '@preact/signals'
import type { Output } from '@quipu/sdk'
import { reading } from '../../live/reading.ts'
import { actingOperator, type Connection, operator } from '../../session/connections.ts'
import { accounts as accountsOfViewer, api, worldName } from '../../session/selection.ts'
import { isOperator, session } from '../../session/session.ts'

export type Key = Output<'listKeys'>[number]
export type Grant = Output<'listOAuthGrants'>[number]
export type App = Output<'listOAuthClients'>[number]
export type ListedUser = Output<'listUsers'>[number]
export type Customer = Output<'listWorldAccounts'>[number]

/** The world of a request: in the path, or in a header. */
export const inPath = () => ({ params: { world: worldName.peek() } })
export const inHeader = () => ({ headers: { 'x-quipu-world': worldName.peek() } })

const PAGE_MAX = 1000
export const CUSTOMERS_STEP = 100

/** The search words and the number of accounts that the viewer wants to see. */
export const customerSearch = signal('')
export const customerLimit = signal(CUSTOMERS_STEP)

/** An operator sees all keys of the world; anyone else those of the chosen account. */
export const keys = reading(async () =>
  isOperator.peek() ? operator().client.listKeys(inPath()) : (api.peek()?.client.listKeys(inPath()) ?? []),
)
/** The connection that creates and revokes keys. Without operator rights it acts for the chosen account. */
export const keyWriter = (): Connection => (isOperator.peek() ? actingOperator() : api.peek()!)

export const grants = reading(() =>
  operator().client.listOAuthGrants({ query: { limit: PAGE_MAX }, ...inHeader() } as never),
)
export const apps = reading(() =>
  operator().client.listOAuthClients({ query: { limit: PAGE_MAX }, ...inHeader() } as never),
)
export const people = reading(() => operator().client.listUsers(inPath()))
export const partners = reading(() => operator().client.listPartners(inPath()))
export const customers = reading(() => {
  const words = customerSearch.peek().trim()
  const query = { limit: customerLimit.peek(), ...(words !== '' && { query: words }) }
  return operator().client.listWorldAccounts({ ...inPath(), query } as never)
})
export const readings = [keys, grants, apps, people, partners, customers] as const

type Named = { readonly number: string; readonly name: string }

/** Account numbers and owners by account id. */
const named = computed(() => {
  const found = new Map<string, Named>()
  for (const { id, number } of accountsOfViewer.value) found.set(id, { number, name: '' })
  for (const { id, account_number: number, name } of customers.value.value ?? [])
    found.set(id, { number, name: name === number ? '' : name })
  for (const { name, accounts } of people.value.value ?? [])
    for (const { account_id: id, account_number: number } of accounts) found.set(id, { number, name })
  return found
})

export const accountNamed = (id: string): Named => named.value.get(id) ?? { number: id.slice(0, 8), name: '' }

/** All accounts that a key can be created for. */
export const knownAccounts = computed(() =>
  [...named.value].map(([id, { number, name }]) => ({ id, number, name })),
)

export const partnerName = (id: string): string =>
  partners.value.value?.find(({ partner_id: one }) => one === id)?.name ?? id.slice(0, 8)

export const userName = (id: string): string =>
  people.value.value?.find(({ user_id: one }) => one === id)?.name ?? id.slice(0, 8)

/** Whether a person of the world is the one who looks. */
export const isViewer = ({ name }: ListedUser): boolean =>
  session.peek()?.name === name && session.peek()?.world === worldName.peek()
