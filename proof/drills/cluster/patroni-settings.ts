// The settings of one Patroni node, as docs/development/drills.md describes the cluster: what an operator would write, with short times.
import type { Account } from './parts.ts'

type NodePlan = {
  readonly name: string
  readonly account: Account | undefined
  readonly dataFolder: string
  readonly socketFolder: string
  readonly postgresFolder: string
  /** The ports that PostgreSQL and Patroni listen on. */
  readonly ports: { readonly postgres: number; readonly patroni: number }
  /** The ports of the links to others and to etcd, which the drill can cut. */
  readonly links: { readonly peer: number; readonly rest: number; readonly etcd: number }
  readonly passwords: { readonly superuser: string; readonly replication: string }
}

export const SUPERUSER = 'postgres'

// The least that keeps Patroni's own rule, loop_wait + 2 · retry_timeout ≤ ttl: a fail-over takes some 8 s, not 40.
const TIMES = { ttl: 6, loop_wait: 1, retry_timeout: 2 }

const PARAMETERS = {
  max_connections: 100,
  max_wal_senders: 10,
  max_replication_slots: 10,
  wal_level: 'replica',
  hot_standby: 'on',
  wal_log_hints: 'on',
  wal_keep_size: '256MB',
  shared_buffers: '64MB',
  // Cut connections are noticed within seconds.
  wal_sender_timeout: '5s',
  wal_receiver_timeout: '5s',
}

const SHARED = {
  ...TIMES,
  synchronous_mode: true,
  synchronous_mode_strict: false,
  maximum_lag_on_failover: 1_073_741_824,
  // A primary that crashed is not waited for where another node may take over.
  primary_start_timeout: 0,
  postgresql: { use_pg_rewind: true, use_slots: true, parameters: PARAMETERS },
}

const loopback = (port: number): string => `127.0.0.1:${port}`

/** Patroni reads YAML, of which JSON is a part. */
export const patroniSettings = (plan: NodePlan): string => {
  const { ports, links, passwords } = plan
  const settings = {
    scope: 'mintmark-drill',
    name: plan.name,
    restapi: { listen: loopback(ports.patroni), connect_address: loopback(links.rest) },
    // By etcd's first interface: by the later one a Patroni before 3.0.3 that wakes overwrites the lock of the leader that
    // followed it (docs/decisions/archive/0025-patroni.md). Not to ask etcd for its members' addresses: the link would be passed by.
    etcd: { hosts: [loopback(links.etcd)], use_proxies: true },
    bootstrap: { dcs: SHARED, initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, 'data-checksums'] },
    postgresql: {
      listen: loopback(ports.postgres),
      connect_address: loopback(links.peer),
      data_dir: plan.dataFolder,
      bin_dir: plan.postgresFolder,
      pgpass: `${plan.socketFolder}/pgpass`,
      use_unix_socket: true,
      authentication: {
        superuser: { username: SUPERUSER, password: passwords.superuser },
        replication: { username: 'replicator', password: passwords.replication },
      },
      parameters: { unix_socket_directories: plan.socketFolder },
      pg_hba: [
        // The folder of the socket is its guard.
        'local all all trust',
        'host all all 127.0.0.1/32 scram-sha-256',
        'host replication replicator 127.0.0.1/32 scram-sha-256',
      ],
      remove_data_directory_on_rewind_failure: true,
      remove_data_directory_on_diverged_timelines: true,
    },
  }
  return JSON.stringify(settings, undefined, 2)
}
