import { computed, effect, signal } from '@preact/signals'
import { ApiError, createClient, NetworkError, type Output } from '@quipu/sdk'

/** The URL of the server, without a final slash. The page knows it from its own address. */
export const serverUrl = new URL('.', document.baseURI).href.replace(/\/$/, '')

export type Session = Output<'getBrowserSession'>

/** undefined: not known yet; null: nobody is signed in. */
export const session = signal<Session | null | undefined>(undefined)
/** Why the session could not be read. */
export const sessionProblem = signal<Error | undefined>(undefined)

/** Whether the rights of an operator or auditor are raised now. An auditor sees the same, and changes nothing. */
export const isOperator = computed(() => session.value?.operator_until != null)

/** Whether the viewer may change nothing. Elements with `data-changes` are then hidden, and keys with `changes` off. */
export const isAuditor = computed(() => session.value?.auditor === true)

/** The address of the API for programs. On loopback the page has a host name that many programs cannot resolve. */
export const apiUrl = computed(() => session.value?.api_url ?? serverUrl)

/** Whether the viewer can raise the rights of an operator or auditor. */
export const hasRole = computed(() => session.value?.operator === true || isAuditor.value)

const client = createClient({ url: serverUrl })

/** Reads who is signed in. */
export async function readSession(): Promise<void> {
  try {
    session.value = await client.getBrowserSession()
    sessionProblem.value = undefined
    watchRights()
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) session.value = null
    else sessionProblem.value = error as Error
  }
}

/** The documentation shows links to the screens of operators only to them. */
export function noteRights(): void {
  effect(() => {
    if (session.value === undefined) return
    if (isOperator.value) localStorage.setItem('quipu-operator', 'yes')
    else localStorage.removeItem('quipu-operator')
  })
}

let timer: ReturnType<typeof setTimeout> | undefined

/** Reads the session again when the operator rights or the session end. */
function watchRights(): void {
  clearTimeout(timer)
  const { operator_until: until, expires_at: expiresAt } = session.value!
  const endMs = Math.min(Date.parse(until ?? expiresAt), Date.parse(expiresAt))
  timer = setTimeout(readSession, Math.min(Math.max(endMs - Date.now() + 500, 1000), 2 ** 31 - 1))
}

/** What a token may do: one account, or the operations of an operator. */
export type Scope =
  | { readonly kind: 'account'; readonly world: string; readonly accountId: string }
  | { readonly kind: 'operator'; readonly readOnly: boolean }

/** Accounts that were closed while the page was open. Worlds with the same seed have the same account ids. */
export const closedAccounts = signal<ReadonlySet<string>>(new Set())
export const accountKey = (world: string, accountId: string): string => `${world} ${accountId}`

type Issued = { readonly token: string; readonly renewAtMs: number }

/** Tokens stay in memory, and are renewed a minute before they end. */
const issued = new Map<string, Promise<Issued>>()
const RENEW_BEFORE_MS = 60_000

/** The current token of a scope. Throws NetworkError, or ApiError if the session has no such rights. */
export async function tokenOf(scope: Scope): Promise<string> {
  const key = JSON.stringify(scope)
  const last = issued.get(key)
  const known = await last?.catch(() => undefined)
  if (known !== undefined && Date.now() < known.renewAtMs) return known.token
  // Callers that waited for the same token share the next one.
  if (issued.get(key) === last) issued.set(key, issue(scope))
  return (await issued.get(key)!).token
}

/** Drops the token of a scope, for example because a restarted server does not know it any more. */
export const forgetToken = (scope: Scope): boolean => issued.delete(JSON.stringify(scope))

async function issue(scope: Scope): Promise<Issued> {
  const known = session.value
  if (!known) throw new NetworkError('nobody is signed in')
  const rights =
    scope.kind === 'operator'
      ? { operator: true, read_only: scope.readOnly }
      : { account_id: scope.accountId, ...(scope.world !== known.world && { world: scope.world }) }
  try {
    const body = { form_token: known.form_token, ...rights }
    const { access_token: token, expires_in } = await client.issueSessionToken({ body })
    const lifeMs = expires_in * 1000
    return { token, renewAtMs: Date.now() + Math.max(lifeMs - RENEW_BEFORE_MS, lifeMs / 2) }
  } catch (error) {
    // The session, its operator rights or the account have ended: the page shows what is left.
    if (error instanceof ApiError && (error.status === 401 || error.status === 403)) void readSession()
    if (error instanceof ApiError && error.reason === 'accountNotFound' && scope.kind === 'account')
      closedAccounts.value = new Set(closedAccounts.peek()).add(accountKey(scope.world, scope.accountId))
    throw error
  }
}
