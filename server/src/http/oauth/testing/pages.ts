import { scryptSync } from 'node:crypto'
import { execute, openAccount } from '@quipu/broker/access/issue-keys.ts'
import type { World } from '@quipu/broker/world/world.ts'
import type { AccountId, Money, RegisterApp, UserId } from '@quipu/core'
import { definedFields } from '@quipu/core/values'
import { openTestServer, type TestServer, type TestSetup } from '../../testing/server.ts'
import { REDIRECT, registerTestApp, type TestApp } from './apps.ts'

/** For tests: a server with a user who has a paper and a live account, and an app that requests access to them. */
export type PageScene = TestServer & {
  readonly app: TestApp
  readonly userId: UserId
  readonly paper: AccountId
  readonly live: AccountId
}

export const USER = 'Ada'
export const PASSWORD = 'correct horse battery'
/** The hash of the password with the lowest cost, which is part of a hash: a sign-in then costs 0.1 instead of 46 ms. */
const PASSWORD_HASH = `scrypt:2:c2FsdA:${scryptSync(PASSWORD, 'salt', 32, { N: 2 }).toString('base64url')}`

export async function openPages(patch: Partial<RegisterApp> = {}, setup: TestSetup = {}): Promise<PageScene> {
  const server = await openTestServer(setup)
  const { world, accountId: paper } = server
  const userId = await addUser(world, USER, [paper])
  const { partnerId } = world.view.accounts.get(paper)!
  const cash = 50_000_120_000_000n as Money
  const { id: live } = await openAccount(world, { flavour: 'live', partnerId, cash, userId: userId })
  const app = await registerTestApp(world, patch)
  return { ...server, app, userId, paper, live }
}

export async function addUser(
  world: World,
  name: string,
  accounts: readonly AccountId[] = [],
  operator = false,
): Promise<UserId> {
  await execute(world, { kind: 'addUser', name, password: PASSWORD_HASH, operator }, 'userAdded')
  const userId = world.view.userNames.get(name.toLowerCase())!
  for (const accountId of accounts)
    await execute(world, { kind: 'assignAccount', accountId, userId }, 'accountAssigned')
  return userId
}

export type Fields = Readonly<Record<string, string | undefined>>

/** The query of an authorization request. */
export function authorizeQuery({ app }: Pick<PageScene, 'app'>, patch: Fields = {}): string {
  const fields = {
    response_type: 'code',
    client_id: app.clientId,
    redirect_uri: REDIRECT,
    scope: 'trading',
    state: 'xyz',
    ...patch,
  }
  return String(new URLSearchParams(definedFields(fields)))
}

/** A response as a browser receives it. */
export type Visit = {
  readonly status: number
  readonly headers: Headers
  readonly html: string
  readonly location: string | undefined
}

/** Keeps cookies, does not follow redirects, and submits forms. */
export class Browser {
  readonly #url: string
  readonly cookies = new Map<string, string>()

  constructor({ url }: { readonly url: string }) {
    this.#url = url
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Visit> {
    return this.#request(path, { headers })
  }

  post(path: string, fields: Fields, headers: Record<string, string> = {}): Promise<Visit> {
    return this.#request(path, { method: 'POST', body: new URLSearchParams(definedFields(fields)), headers })
  }

  /** Submits the form with this action: its hidden fields and `fields`. */
  submit(visit: Visit, action: string, fields: Fields = {}): Promise<Visit> {
    return this.post(action, { ...hiddenIn(visit, action), ...fields })
  }

  async signIn(request?: string, name = USER, password = PASSWORD): Promise<Visit> {
    const query = request === undefined ? '' : `?${new URLSearchParams({ request })}`
    const form = await this.get(`/oauth/sign-in${query}`)
    return this.submit(form, '/oauth/sign-in', { name, password })
  }

  async #request(path: string, init: RequestInit & { headers: Record<string, string> }): Promise<Visit> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { ...definedFields({ cookie: cookie || undefined }), ...init.headers }
    const response = await fetch(`${this.#url}${path}`, { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) this.#keep(line)
    return {
      status: response.status,
      headers: response.headers,
      html: await response.text(),
      location: locationOf(response.headers.get('location'), `${this.#url}${path}`),
    }
  }

  #keep(line: string): void {
    const [pair = ''] = line.split(';')
    const equals = pair.indexOf('=')
    if (/max-age=0/i.test(line)) this.cookies.delete(pair.slice(0, equals))
    else this.cookies.set(pair.slice(0, equals), pair.slice(equals + 1))
  }
}

/** The target of a redirect: a path on the same server, a full URL elsewhere. */
function locationOf(location: string | null, from: string): string | undefined {
  if (location === null) return undefined
  const to = URL.parse(location, from)
  return to?.origin === new URL(from).origin ? `${to.pathname}${to.search}` : location
}

const decoded = (text: string): string =>
  text.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))

/** The hidden fields of the form with this action. */
export function hiddenIn({ html }: Visit, action: string): Record<string, string> {
  const name = action.split('/').at(-1)
  const form = html.split('<form').find((part) => part.includes(`action="${name}"`))
  if (form === undefined) throw new Error(`no form has the action ${action}: ${html.slice(0, 2000)}`)
  const inside = form.slice(0, form.indexOf('</form>'))
  return Object.fromEntries(
    [...inside.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)].map(
      ([, name, value]) => [name!, decoded(value!)] as const,
    ),
  )
}

/** The response parameters that a redirect sends to the app. */
export const responseTo = ({ location }: Visit): Record<string, string> =>
  Object.fromEntries(new URL(location ?? 'none:').searchParams)
