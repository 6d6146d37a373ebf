CREATE TABLE schema_version(id INTEGER PRIMARY KEY CHECK (id = 1), version INTEGER NOT NULL) STRICT;
CREATE TABLE identity(id INTEGER PRIMARY KEY CHECK (id = 1), issuer TEXT NOT NULL, log_origin TEXT NOT NULL) STRICT;
CREATE TABLE runs(
    run_id TEXT PRIMARY KEY, tenant TEXT NOT NULL, state TEXT NOT NULL CHECK (state IN ('started', 'closed')),
    started_at INTEGER NOT NULL, deadline_at INTEGER NOT NULL, owner TEXT NOT NULL, seed TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
CREATE INDEX runs_open ON runs(deadline_at) WHERE state = 'started';
CREATE TABLE jws_headers(id INTEGER PRIMARY KEY, header TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE receipts(
    log_index INTEGER PRIMARY KEY, receipt_id TEXT NOT NULL UNIQUE, run_id TEXT NOT NULL UNIQUE, tenant TEXT NOT NULL,
    orb_id TEXT NOT NULL, outcome TEXT NOT NULL, issued_at INTEGER NOT NULL,
    header INTEGER NOT NULL, payload BLOB NOT NULL, signature BLOB NOT NULL
  ) STRICT;
CREATE INDEX receipts_newest ON receipts(tenant, issued_at, receipt_id, orb_id, outcome);
CREATE TABLE log_entries(idx INTEGER PRIMARY KEY, entry BLOB NOT NULL) STRICT;
CREATE TABLE log_tiles(level INTEGER NOT NULL, idx INTEGER NOT NULL, hashes BLOB NOT NULL, PRIMARY KEY (level, idx)) STRICT;
CREATE TABLE log_head(id INTEGER PRIMARY KEY CHECK (id = 1), size INTEGER NOT NULL, edge BLOB NOT NULL) STRICT;
CREATE TABLE log_checkpoints(size INTEGER PRIMARY KEY, note TEXT NOT NULL) STRICT;
CREATE TABLE manifests(digest TEXT PRIMARY KEY, jcs TEXT NOT NULL) STRICT;
CREATE TABLE manifest_tenants(digest TEXT NOT NULL, tenant TEXT NOT NULL, PRIMARY KEY (digest, tenant)) STRICT, WITHOUT ROWID;
CREATE TABLE idempotency(
    tenant TEXT NOT NULL, path TEXT NOT NULL, key TEXT NOT NULL, body_sha256 TEXT NOT NULL, run_id TEXT NOT NULL,
    answer BLOB, expires_at INTEGER NOT NULL, PRIMARY KEY (tenant, path, key)
  ) STRICT;
CREATE INDEX idempotency_run ON idempotency(run_id);
CREATE INDEX idempotency_expiry ON idempotency(expires_at);
CREATE TABLE leases(name TEXT PRIMARY KEY, holder TEXT NOT NULL, epoch INTEGER NOT NULL, expires INTEGER NOT NULL) STRICT;
CREATE TABLE state(kind TEXT NOT NULL, key TEXT NOT NULL, json TEXT NOT NULL, PRIMARY KEY (kind, key)) STRICT, WITHOUT ROWID;
CREATE TABLE swap_receipts(
    log_index INTEGER PRIMARY KEY, receipt_id TEXT NOT NULL UNIQUE, tenant TEXT NOT NULL, orb_uid TEXT NOT NULL,
    swap_seq INTEGER NOT NULL, epoch INTEGER NOT NULL, orb_id TEXT NOT NULL, issued_at INTEGER NOT NULL,
    header INTEGER NOT NULL, payload BLOB NOT NULL, signature BLOB NOT NULL, UNIQUE (orb_uid, swap_seq)
  ) STRICT;
CREATE TABLE published(orb_id TEXT NOT NULL, manifest_digest TEXT NOT NULL, PRIMARY KEY (orb_id, manifest_digest)) STRICT, WITHOUT ROWID;
CREATE TABLE past_checkpoints(
    log_origin TEXT NOT NULL, size INTEGER NOT NULL, note TEXT NOT NULL, PRIMARY KEY (log_origin, size)
  ) STRICT, WITHOUT ROWID;
