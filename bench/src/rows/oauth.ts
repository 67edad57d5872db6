import type { ContenderProcess, Ready } from '../contender-process.ts'
import { type BenchRequest, load, requireAllOk } from '../load.ts'
import { contender, withFolder, withQuipu } from '../quipu-process.ts'
import { alternate, type Figure } from '../rounds.ts'
import { type Row, rowsWith, type Size } from '../row.ts'

const rowR = rowsWith('r')
const rowS = rowsWith('s')
const rowT = rowsWith('t')

/**
 * (r) Reading an account with a token, compared with a key, (s) durable exchanges of codes for tokens, and (t) token
 * introspection, compared with reading an account with a key.
 */
export function oauth(size: Size): Promise<readonly Row[]> {
  return withFolder((folder) => withQuipu(folder, (quipu) => compare(quipu, size)))
}

async function compare(quipu: ContenderProcess, { rounds, calls }: Size): Promise<readonly Row[]> {
  const { ready } = quipu
  const partner = { ...ready, headers: ready.operator! }
  const { id: accountId } = JSON.parse(await bodyOf(ready, account))
  const grant = grantOf(ready, accountId)
  const { access_token: token } = JSON.parse(await bodyOf(partner, { ...grant, path: '/v1/oauth/token' }))
  const bearer = { ...ready, headers: { Authorization: `Bearer ${token}` } }
  const app = { ...ready, headers: {} }
  const codes: string[] = []
  const figures = await alternate(
    [
      contender('account by key', quipu, () => account, { calls }),
      contender('account by token', quipu, () => account, { calls, ready: bearer }),
      contender('token introspection', quipu, () => introspection(ready, token), { calls, ready: app }),
      contender('code issued by a partner', quipu, () => grant, {
        calls,
        ready: partner,
        onBody: (body) => codes.push(JSON.parse(body).code),
      }),
      contender('code exchanged for a token', quipu, () => exchange(ready, codes.pop()!), {
        calls,
        ready: app,
      }),
    ],
    rounds,
  )
  return rowsOf(figures)
}

function rowsOf(figures: readonly Figure[]): readonly Row[] {
  const [key, token, introspect, code, exchanged] = figures as readonly [
    Figure,
    Figure,
    Figure,
    Figure,
    Figure,
  ]
  const both = 1 / (1 / code.perThreadSecond + 1 / exchanged.perThreadSecond)
  return [
    rowR(
      'GET /v2/account by token / by key, CPU of the thread',
      token.perThreadSecond / key.perThreadSecond,
      '≥ 0.9',
    ),
    rowR('the same, CPU of the process', token.perCpuSecond / key.perCpuSecond),
    rowS('codes exchanged, durable, per CPU second of the thread', exchanged.perThreadSecond, '≥ 3,000'),
    rowS('the same by the clock, a second', exchanged.perSecond, '≥ 3,000'),
    rowS('codes issued and exchanged, per CPU second of the thread', both),
    rowT(
      'introspection / GET /v2/account, CPU of the thread',
      introspect.perThreadSecond / key.perThreadSecond,
      '≥ 0.8',
    ),
    rowT('introspections by the clock, a second', introspect.perSecond),
  ]
}

const account: BenchRequest = { method: 'GET', path: '/v2/account' }

/** The request of a partner whose customer has agreed. */
function grantOf({ app }: Ready, accountId: string): BenchRequest {
  const { clientId, secret, redirectUri } = app!
  const body = JSON.stringify({
    client_id: clientId,
    client_secret: secret,
    redirect_uri: redirectUri,
    scope: 'trading data',
    account_id: accountId,
  })
  return { method: 'POST', path: '/v1/oauth/authorize', body }
}

const form = ({ app }: Ready, path: string, fields: Readonly<Record<string, string>>): BenchRequest => ({
  method: 'POST',
  path,
  body: new URLSearchParams({ ...fields, client_id: app!.clientId, client_secret: app!.secret }).toString(),
})

const introspection = (ready: Ready, token: string): BenchRequest =>
  form(ready, '/oauth/introspect', { token })

const exchange = (ready: Ready, code: string): BenchRequest =>
  form(ready, '/oauth/token', {
    grant_type: 'authorization_code',
    code,
    redirect_uri: ready.app!.redirectUri,
  })

/** Sends one request and returns the body of its answer. */
async function bodyOf(ready: Ready, request: BenchRequest): Promise<string> {
  let received = ''
  const onBody = (body: string): void => {
    received = body
  }
  requireAllOk(request.path, 1, await load(ready, () => request, { connections: 1, calls: 1, onBody }))
  return received
}
