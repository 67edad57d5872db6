import { element, root } from './dom.ts'

/** The part of `GET /oauth/session` that the page uses. */
export type Session = {
  readonly name: string
  readonly world: string
  readonly form_token: string
  readonly operator: boolean
  readonly operator_until: string | null
  readonly accounts: readonly {
    readonly id: string
    readonly account_number: string
    readonly flavour: string
  }[]
}

/** The reader may not make the call; `advice` says what to do. */
export class NoAccess extends Error {
  readonly #path: string
  readonly #link: string
  readonly #reason: string

  constructor(reason: string, link: string, path: string) {
    super(reason)
    this.#reason = reason
    this.#link = link
    this.#path = path
  }

  advice(): HTMLElement {
    const link = element('a', { href: root + this.#path }, this.#link)
    return element('span', {}, `${this.#reason} `, link)
  }
}

/** The session of this browser. */
export async function sessionOf(): Promise<Session> {
  const response = await fetch(`${root}oauth/session`)
  if (response.status === 401) throw new NoAccess('You are not signed in.', 'Sign in', 'oauth/sign-in')
  if (!response.ok) throw new Error(`status ${response.status} of the session`)
  return response.json()
}

type Call = { readonly method: string; readonly account: string | undefined }

/** A token for one call, kept in memory only. A call that reads gets a token that can only read, where there is one. */
export async function tokenOf(session: Session, kind: string, { method, account }: Call): Promise<string> {
  const isOperator = kind === 'operator'
  if (isOperator && session.operator_until === null)
    throw new NoAccess('This needs operator rights.', 'Raise them', 'oauth/operator')
  if (!isOperator && account === undefined)
    throw new NoAccess('You have no account in this world.', 'Your apps and accounts', 'oauth/apps')
  const wanted = isOperator
    ? { operator: true, ...(method === 'GET' ? { read_only: true } : {}) }
    : { account_id: account }
  const response = await fetch(`${root}oauth/session/token`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ form_token: session.form_token, ...wanted }),
  })
  const body = await response.json()
  if (!response.ok)
    throw new NoAccess(`The server refused a token: ${body.message}.`, 'Sign in again', 'oauth/sign-in')
  return body.access_token
}
