// Faults of the network between a replica and a node of the database.
import { type Fault, holdMs, type World } from './faults.ts'
import { BOTH, type Direction, type Link } from '../../../testkit/proxies/link.ts'

const DELAY_MS_MOST = 400

type Hit = { readonly link: Link; readonly where: string; readonly ms: number }

// Most often to the leader: the others are asked only who leads.
const choose = async ({ cluster, replicas, random }: World): Promise<Hit> => {
  const replica = random.pick(replicas)
  const leader = random.chance(0.8) ? await cluster.leader() : undefined
  const node = leader ?? random.pick(cluster.nodes)
  const link = replica.links.get(node.name)
  if (link === undefined) throw new Error(`Replica ${replica.name} has no link to ${node.name}.`)
  return { link, where: `${replica.name} to node ${node.name}`, ms: holdMs(random) }
}

// The network comes back, and what was under way arrives late; or it never does.
const cut = async (world: World, directions: readonly Direction[]): Promise<string> => {
  const { link, where, ms } = await choose(world)
  const isReset = world.random.chance(0.5)
  const letGo = link.hold(directions)
  await world.hold(ms)
  if (isReset) link.reset()
  letGo()
  return `${where} cut (${directions.join(' and ')}) for ${ms} ms, then ${isReset ? 'reset' : 'healed'}`
}

const slow = async (world: World): Promise<string> => {
  const { link, where, ms } = await choose(world)
  const delayMs = 1 + world.random.below(DELAY_MS_MOST)
  const letGo = link.delay(delayMs)
  await world.hold(ms)
  letGo()
  return `${where} ${delayMs} ms slower for ${ms} ms`
}

const reset = async (world: World): Promise<string> => {
  const { link, where } = await choose(world)
  link.reset()
  return `${where} reset`
}

const halfClose = async (world: World): Promise<string> => {
  const { link, where } = await choose(world)
  link.halfClose()
  return `${where} half closed`
}

export const LINK_FAULTS: readonly Fault[] = [
  { name: 'link cut', weight: 3, strike: world => cut(world, BOTH) },
  { name: 'link cut one way', weight: 4, strike: world => cut(world, [world.random.pick(BOTH)]) },
  { name: 'link slow', weight: 2, strike: slow },
  { name: 'link reset', weight: 2, strike: reset },
  { name: 'link half closed', weight: 1, strike: halfClose },
]
