import type { ContenderProcess, Ready } from '../contender-process.ts'
import { type BenchRequest, load, requireAllOk } from '../load.ts'
import { CONNECTIONS, withFolder, withQuipu } from '../quipu-process.ts'
import { alternate, type Contender, type Figure } from '../rounds.ts'
import type { Row, Size } from '../row.ts'

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
      contender(quipu, 'account by key', calls, ready, () => account),
      contender(quipu, 'account by token', calls, bearer, () => account),
      contender(quipu, 'token introspection', calls, app, () => introspection(ready, token)),
      contender(
        quipu,
        'code issued by a partner',
        calls,
        partner,
        () => grant,
        (body) => codes.push(JSON.parse(body).code),
      ),
      contender(quipu, 'code exchanged for a token', calls, app, () => exchange(ready, codes.pop()!)),
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
    {
      row: 'r',
      name: 'GET /v2/account by token / by key, CPU of the thread',
      value: token.perThreadSecond / key.perThreadSecond,
      goal: '≥ 0.9',
    },
    {
      row: 'r',
      name: 'the same, CPU of the process',
      value: token.perCpuSecond / key.perCpuSecond,
      goal: '',
    },
    {
      row: 's',
      name: 'codes exchanged, durable, per CPU second of the thread',
      value: exchanged.perThreadSecond,
      goal: '≥ 3,000',
    },
    { row: 's', name: 'the same by the clock, a second', value: exchanged.perSecond, goal: '≥ 3,000' },
    { row: 's', name: 'codes issued and exchanged, per CPU second of the thread', value: both, goal: '' },
    {
      row: 't',
      name: 'introspection / GET /v2/account, CPU of the thread',
      value: introspect.perThreadSecond / key.perThreadSecond,
      goal: '≥ 0.8',
    },
    { row: 't', name: 'introspections by the clock, a second', value: introspect.perSecond, goal: '' },
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

function contender(
  server: ContenderProcess,
  name: string,
  calls: number,
  ready: Ready,
  requestOf: () => BenchRequest,
  onBody: (body: string) => void = () => undefined,
): Contender {
  return {
    name,
    async round() {
      const before = await server.cost()
      const start = performance.now()
      const answers = await load(ready, requestOf, { connections: CONNECTIONS, calls, onBody })
      const wallSeconds = (performance.now() - start) / 1000
      requireAllOk(name, calls, answers)
      const { cpuMicros, threadMicros } = await server.cost()
      return {
        calls,
        cpuSeconds: (cpuMicros - before.cpuMicros) / 1e6,
        threadSeconds: (threadMicros - before.threadMicros) / 1e6,
        wallSeconds,
      }
    },
  }
}
