import { ContenderProcess } from '../contender-process.ts'
import { cpuRound, withFolder, withQuipu } from '../quipu-process.ts'
import { alternate, type Contender, type Figure } from '../rounds.ts'
import { type Row, rowsWith, type Size } from '../row.ts'
import { StreamClients } from '../stream-clients.ts'
import { withWorld } from '../virtual-world.ts'

const row = rowsWith('m')
const SOCKETS = 1_000
const SYMBOLS = ['AAPL', 'AMD', 'AMZN', 'GOOGL', 'META', 'MSFT', 'NVDA', 'QQQ', 'SPY', 'TSLA']
/** Virtual minutes per round. */
const TICKS = 20

/** (m) Ten bars per tick to 1,000 sockets, compared with `ws.send` of one text to each of 1,000 sockets. */
export async function fanOut({ rounds }: Size): Promise<readonly Row[]> {
  const bare = await ContenderProcess.start('ws-fan-out.child.ts', [SYMBOLS.join(',')])
  try {
    return await withFolder((folder) =>
      withQuipu(folder, (quipu) => compare(bare, quipu, rounds), [`streamsMax=${SOCKETS}`]),
    )
  } finally {
    await bare.stop()
  }
}

async function compare(
  bare: ContenderProcess,
  quipu: ContenderProcess,
  rounds: number,
): Promise<readonly Row[]> {
  return withWorld(quipu.ready, async (world) => {
    const subscription = { path: '/v2/iex', subscribe: { bars: SYMBOLS }, count: SOCKETS }
    const quipuClients = await StreamClients.open({ ...subscription, ...world })
    const bareClients = await StreamClients.open({ ...subscription, ...bare.ready })
    const tick = async (): Promise<void> => {
      await (await fetch(`http://127.0.0.1:${bare.ready.port}/${TICKS}`)).text()
    }
    const figures = await alternate(
      [
        contender('ws.send to each', bare, bareClients, tick),
        contender('the product', quipu, quipuClients, () => world.advance(`${TICKS}m`)),
      ],
      rounds,
    )
    await Promise.all([quipuClients.leave(), bareClients.leave()])
    const [bareFigure, quipuFigure] = figures as readonly [Figure, Figure]
    const name = `deliveries / ws.send, ${SYMBOLS.length} bars a tick to ${SOCKETS} sockets, CPU`
    return [
      row(name, quipuFigure.perCpuSecond / bareFigure.perCpuSecond, '≥ 8'),
      row('deliveries a CPU second', quipuFigure.perCpuSecond),
    ]
  })
}

/** A delivery is one bar received by one client. */
function contender(
  name: string,
  server: ContenderProcess,
  clients: StreamClients,
  tick: () => Promise<void>,
): Contender {
  return {
    name,
    async round() {
      const result = await cpuRound(server, TICKS * SYMBOLS.length * SOCKETS, tick)
      await clients.waitForBars(TICKS * SYMBOLS.length)
      return result
    },
  }
}
