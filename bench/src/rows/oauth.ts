import type { ContenderProcess, Ready } from '../contender-process.ts'
import { type Asked, allGood, load } from '../load.ts'
import { CONNECTIONS, withFolder, withQuipu } from '../quipu-process.ts'
import { alternate, type Contender, type Figure } from '../rounds.ts'
import type { Row, Size } from '../row.ts'

/**
 * (r) An account read with a token beside one read with a key, (s) codes exchanged for tokens, each durable, and (t) a
 * token looked at, beside an account read with a key.
 */
export function oauth(size: Size): Promise<readonly Row[]> {
  return withFolder((folder) => withQuipu(folder, (quipu) => beside(quipu, size)))
}

async function beside(quipu: ContenderProcess, { rounds, calls }: Size): Promise<readonly Row[]> {
  const { ready } = quipu
  const partner = { ...ready, headers: ready.operator! }
  const { id: accountId } = JSON.parse(await once(ready, account))
  const grant = grantOf(ready, accountId)
  const { access_token: token } = JSON.parse(await once(partner, { ...grant, path: '/v1/oauth/token' }))
  const bearer = { ...ready, headers: { Authorization: `Bearer ${token}` } }
  const app = { ...ready, headers: {} }
  const codes: string[] = []
  const figures = await alternate(
    [
      contender(quipu, 'an account by key', calls, ready, () => account),
      contender(quipu, 'an account by token', calls, bearer, () => account),
      contender(quipu, 'a token looked at', calls, app, () => introspection(ready, token)),
      contender(
        quipu,
        'a code by a partner',
        calls,
        partner,
        () => grant,
        (body) => codes.push(JSON.parse(body).code),
      ),
      contender(quipu, 'a code for a token', calls, app, () => exchange(ready, codes.pop()!)),
    ],
    rounds,
  )
  return rowsOf(figures)
}

function rowsOf(figures: readonly Figure[]): readonly Row[] {
  const [key, token, look, code, swap] = figures as readonly [Figure, Figure, Figure, Figure, Figure]
  const both = 1 / (1 / code.perThreadSecond + 1 / swap.perThreadSecond)
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
      value: swap.perThreadSecond,
      goal: '≥ 3,000',
    },
    { row: 's', name: 'the same by the clock, a second', value: swap.perSecond, goal: '≥ 3,000' },
    { row: 's', name: 'codes issued and exchanged, per CPU second of the thread', value: both, goal: '' },
    {
      row: 't',
      name: 'introspection / GET /v2/account, CPU of the thread',
      value: look.perThreadSecond / key.perThreadSecond,
      goal: '≥ 0.8',
    },
    { row: 't', name: 'introspections by the clock, a second', value: look.perSecond, goal: '' },
  ]
}

const account: Asked = { method: 'GET', path: '/v2/account' }

/** What a partner asks for when a customer of its has agreed. */
function grantOf({ app }: Ready, accountId: string): Asked {
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

const form = ({ app }: Ready, path: string, fields: Readonly<Record<string, string>>): Asked => ({
  method: 'POST',
  path,
  body: new URLSearchParams({ ...fields, client_id: app!.clientId, client_secret: app!.secret }).toString(),
})

const introspection = (ready: Ready, token: string): Asked => form(ready, '/oauth/introspect', { token })

const exchange = (ready: Ready, code: string): Asked =>
  form(ready, '/oauth/token', {
    grant_type: 'authorization_code',
    code,
    redirect_uri: ready.app!.redirectUri,
  })

/** The body of one answer. */
async function once(ready: Ready, asked: Asked): Promise<string> {
  let told = ''
  const heard = (body: string): void => {
    told = body
  }
  allGood(asked.path, 1, await load(ready, () => asked, { connections: 1, calls: 1, heard }))
  return told
}

function contender(
  server: ContenderProcess,
  name: string,
  calls: number,
  ready: Ready,
  ask: () => Asked,
  heard: (body: string) => void = () => undefined,
): Contender {
  return {
    name,
    async round() {
      const before = await server.cost()
      const start = performance.now()
      const answers = await load(ready, ask, { connections: CONNECTIONS, calls, heard })
      const wallSeconds = (performance.now() - start) / 1000
      allGood(name, calls, answers)
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
