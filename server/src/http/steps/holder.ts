import { isAnsweredElsewhere } from '../forwarding/route.ts'
import { ANSWERED, type RequestStep, type Routed } from './step.ts'

/** In a cluster, sends the request to the node that holds its world. The world is not moved while it runs here. */
export const holder: RequestStep<Routed> = ({ services }, exchange) => {
  const { cluster } = services
  if (cluster === undefined) return undefined
  return isAnsweredElsewhere(services, cluster, exchange).then((isAnswered) =>
    isAnswered ? ANSWERED : undefined,
  )
}
