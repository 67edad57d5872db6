import { type Handlers, openApi, referencePage } from '@quipu/contract'
import { NotApplied } from '../engine.ts'
import type { Services } from '../services.ts'
import type { World } from '../world.ts'
import type { Context } from './context.ts'
import { frontPage } from './front-page.ts'
import { refuse } from './refusal.ts'

type Names = 'getPage' | 'getReference' | 'getOpenApi' | 'getHealth' | 'getReadiness' | 'getMetrics'

export const systemHandlers: Handlers<Context, Names> = {
  getPage: (_, { services }) => frontPage(services.version, services.here.url),
  getReference: (_, { services }) => referencePage({ version: services.version, url: services.here.url }),
  getOpenApi: (_, { services }) =>
    JSON.stringify(openApi({ version: services.version, url: services.here.url }), null, 2),
  getHealth: () => ({ status: 'ok' }),
  getReadiness: (_, { services }) => {
    const problem = whyNotReady(services)
    if (problem !== undefined) throw refuse({ code: 'notReady', problem }, ['Retry-After', '1'])
    return { status: 'ready' }
  },
  getMetrics: (_, { services }) => services.metrics.text(),
}

function whyNotReady({ here, worlds }: Services): string | undefined {
  if (here.phase !== 'ready') return `the server is ${here.phase}`
  const closed = worlds.all().find((world) => !isOpen(world))
  return closed && `the world ${closed.id} is being rebuilt`
}

/** A world whose journal failed has no engine until it is rebuilt. */
export function isOpen(world: World): boolean {
  try {
    return world.engine !== undefined
  } catch (error) {
    if (error instanceof NotApplied) return false
    throw error
  }
}
