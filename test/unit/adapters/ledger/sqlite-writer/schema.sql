CREATE TABLE schema_version(id INTEGER PRIMARY KEY CHECK (id = 1), version INTEGER NOT NULL) STRICT;
CREATE TABLE identity(id INTEGER PRIMARY KEY CHECK (id = 1), issuer TEXT NOT NULL, log_origin TEXT NOT NULL) STRICT;
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
CREATE TABLE reputation_days(
    line TEXT NOT NULL, manifest_digest TEXT NOT NULL, caller_tag TEXT NOT NULL, day TEXT NOT NULL, self INTEGER NOT NULL,
    success INTEGER NOT NULL, within_slo INTEGER NOT NULL, failed INTEGER NOT NULL, caller_error INTEGER NOT NULL,
    platform_error INTEGER NOT NULL, policy_denied INTEGER NOT NULL,
    PRIMARY KEY (line, manifest_digest, caller_tag, day, self)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE reputation_events(
    log_index INTEGER PRIMARY KEY, kind TEXT NOT NULL, line TEXT, org TEXT NOT NULL, json TEXT NOT NULL,
    retracted INTEGER NOT NULL DEFAULT 0
  ) STRICT;
CREATE INDEX reputation_events_line ON reputation_events(line, log_index) WHERE line IS NOT NULL;
CREATE INDEX reputation_events_org ON reputation_events(org, log_index) WHERE kind = 'org';
CREATE INDEX reputation_events_status ON reputation_events(line, log_index) WHERE kind = 'orb_status';
CREATE TABLE reputation_retractions(log_index INTEGER PRIMARY KEY) STRICT;
CREATE TABLE reputation_newest(
    subject TEXT NOT NULL, kind TEXT NOT NULL, log_index INTEGER NOT NULL, PRIMARY KEY (subject, kind)
  ) STRICT, WITHOUT ROWID;
CREATE INDEX reputation_newest_index ON reputation_newest(log_index);
CREATE TABLE tier_changes(orb_id TEXT NOT NULL, log_index INTEGER NOT NULL, PRIMARY KEY (orb_id, log_index)) STRICT, WITHOUT ROWID;
CREATE TABLE changes(id INTEGER PRIMARY KEY CHECK (id = 1), last INTEGER NOT NULL) STRICT;
CREATE TABLE publications(
    orb_id TEXT PRIMARY KEY, namespace TEXT NOT NULL, org TEXT NOT NULL, manifest_digest TEXT NOT NULL,
    log_index INTEGER NOT NULL, status TEXT NOT NULL, reason TEXT, published_at INTEGER NOT NULL,
    projected INTEGER NOT NULL, change INTEGER NOT NULL UNIQUE
  ) STRICT;
CREATE INDEX publications_manifest ON publications(manifest_digest);
CREATE TABLE test_reports(
    log_index INTEGER PRIMARY KEY, orb_id TEXT NOT NULL, report_sha256 TEXT NOT NULL, report TEXT NOT NULL, suites TEXT,
    statement TEXT NOT NULL, UNIQUE (orb_id, report_sha256)
  ) STRICT;
CREATE TABLE audits(
    orb_id TEXT NOT NULL, report_sha256 TEXT NOT NULL, log_index INTEGER NOT NULL, PRIMARY KEY (orb_id, report_sha256)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE orgs(
    org TEXT PRIMARY KEY, namespace TEXT NOT NULL, proof TEXT NOT NULL, state TEXT NOT NULL, since INTEGER NOT NULL,
    json TEXT NOT NULL, change INTEGER NOT NULL UNIQUE
  ) STRICT;
CREATE TABLE org_claims(
    org TEXT NOT NULL, namespace TEXT NOT NULL, until INTEGER NOT NULL, json TEXT NOT NULL,
    PRIMARY KEY (org, namespace)
  ) STRICT, WITHOUT ROWID;
CREATE INDEX org_claims_namespace ON org_claims(namespace);
CREATE INDEX org_claims_until ON org_claims(until);
CREATE TABLE evaluations(
    orb_id TEXT PRIMARY KEY, epoch INTEGER NOT NULL, tree_size INTEGER NOT NULL, as_of TEXT NOT NULL, held TEXT NOT NULL,
    profile TEXT NOT NULL, change INTEGER NOT NULL UNIQUE
  ) STRICT;
CREATE TABLE certificates(
    log_index INTEGER PRIMARY KEY, orb_id TEXT NOT NULL, issued_at INTEGER NOT NULL, jwt TEXT NOT NULL,
    status_index INTEGER NOT NULL, change INTEGER NOT NULL UNIQUE
  ) STRICT;
CREATE INDEX certificates_orb ON certificates(orb_id, log_index);
CREATE INDEX certificates_status ON certificates(status_index, log_index);
CREATE TABLE status_bits(list INTEGER PRIMARY KEY, bits BLOB NOT NULL) STRICT;
CREATE TABLE policy_decisions(
    id INTEGER PRIMARY KEY, decision_id TEXT NOT NULL UNIQUE, run_id TEXT NOT NULL UNIQUE, tenant TEXT NOT NULL,
    at INTEGER NOT NULL, orbiset TEXT NOT NULL, orb_id TEXT NOT NULL, caller TEXT NOT NULL, inputs_sha256 TEXT,
    approvals TEXT, denied INTEGER NOT NULL, would_deny INTEGER NOT NULL, shadow_differs INTEGER NOT NULL,
    policies TEXT NOT NULL, packing INTEGER NOT NULL, record BLOB NOT NULL, response BLOB
  ) STRICT;
CREATE INDEX policy_decisions_newest
    ON policy_decisions(tenant, at, id, denied, would_deny, shadow_differs, orb_id, policies);
CREATE TABLE policy_counts(
    day INTEGER NOT NULL, tenant TEXT NOT NULL, caller TEXT NOT NULL, orbiset TEXT NOT NULL, orb_id TEXT NOT NULL,
    runs INTEGER NOT NULL, PRIMARY KEY (day, tenant, caller, orbiset, orb_id)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE policy_violations(
    rule TEXT NOT NULL, manifest_digest TEXT NOT NULL, day INTEGER NOT NULL, log_index INTEGER NOT NULL,
    PRIMARY KEY (rule, manifest_digest, day)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE policy_grants(
    grant_id TEXT PRIMARY KEY, tenant TEXT NOT NULL, decision_id TEXT NOT NULL, orbiset TEXT NOT NULL,
    caller TEXT NOT NULL, orb_id TEXT NOT NULL, inputs_sha256 TEXT NOT NULL, scope TEXT NOT NULL, by TEXT NOT NULL,
    at INTEGER NOT NULL, expires_at INTEGER NOT NULL, run_id TEXT, UNIQUE (decision_id, scope)
  ) STRICT, WITHOUT ROWID;
CREATE INDEX policy_grants_run ON policy_grants(tenant, orbiset, caller, orb_id, inputs_sha256) WHERE run_id IS NULL;
CREATE INDEX policy_grants_expiry ON policy_grants(expires_at);
CREATE TABLE policy_versions(
    namespace TEXT NOT NULL, name TEXT NOT NULL, digest TEXT NOT NULL, generation INTEGER NOT NULL, uid TEXT NOT NULL,
    at INTEGER NOT NULL, by TEXT NOT NULL, mode TEXT NOT NULL, spec TEXT NOT NULL, tests TEXT NOT NULL,
    in_force INTEGER NOT NULL, UNIQUE (namespace, name, digest)
  ) STRICT;
CREATE UNIQUE INDEX policy_versions_in_force ON policy_versions(namespace, name) WHERE in_force = 1;
CREATE INDEX policy_versions_newest ON policy_versions(namespace, name, at);
CREATE TABLE policy_replays(
    id INTEGER PRIMARY KEY, replay_id TEXT NOT NULL UNIQUE, tenant TEXT NOT NULL, namespace TEXT NOT NULL,
    name TEXT NOT NULL, policy_digest TEXT NOT NULL, started_at INTEGER NOT NULL, owner TEXT NOT NULL,
    request TEXT NOT NULL, status TEXT NOT NULL, ended_at INTEGER, result TEXT, jws TEXT
  ) STRICT;
CREATE INDEX policy_replays_newest ON policy_replays(tenant, started_at, replay_id);
CREATE INDEX policy_replays_started ON policy_replays(started_at);
CREATE INDEX policy_replays_running ON policy_replays(tenant) WHERE status = 'running';
CREATE TABLE policy_replay_totals(
    namespace TEXT NOT NULL, name TEXT NOT NULL, policy_digest TEXT NOT NULL, ended_at INTEGER NOT NULL,
    replay_id TEXT NOT NULL, evaluated INTEGER NOT NULL, indeterminate INTEGER NOT NULL, new_denies INTEGER NOT NULL,
    window_ms INTEGER NOT NULL, PRIMARY KEY (namespace, name, policy_digest, ended_at, replay_id)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE policy_replay_changes(
    replay INTEGER NOT NULL, position INTEGER NOT NULL, json TEXT NOT NULL, PRIMARY KEY (replay, position)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE policy_texts(id INTEGER PRIMARY KEY, text TEXT NOT NULL, used_at INTEGER NOT NULL) STRICT;
CREATE INDEX policy_texts_used ON policy_texts(used_at);
CREATE TABLE ingest_sources(
    id INTEGER PRIMARY KEY, source TEXT NOT NULL UNIQUE, tenant TEXT NOT NULL, received INTEGER NOT NULL,
    waiting INTEGER NOT NULL, done INTEGER NOT NULL, dead INTEGER NOT NULL, body_bytes INTEGER NOT NULL,
    last_at INTEGER NOT NULL
  ) STRICT;
CREATE TABLE deliveries(
    seq INTEGER PRIMARY KEY, delivery_id TEXT NOT NULL UNIQUE, tenant TEXT NOT NULL, source INTEGER NOT NULL,
    delivery_key TEXT NOT NULL, received_at INTEGER NOT NULL, bytes INTEGER NOT NULL, state INTEGER NOT NULL,
    has_body INTEGER NOT NULL, attempts INTEGER NOT NULL, failures INTEGER NOT NULL, reason TEXT, pointer TEXT,
    detail TEXT, UNIQUE (source, delivery_key)
  ) STRICT;
CREATE INDEX deliveries_accepted ON deliveries(seq) WHERE state = 0;
CREATE INDEX deliveries_of_source ON deliveries(source, state, seq);
CREATE INDEX deliveries_bodies ON deliveries(source, seq) WHERE state = 1 AND has_body = 1;
CREATE INDEX deliveries_dead ON deliveries(tenant, received_at, seq, source, reason) WHERE state = 2;
CREATE TABLE delivery_bodies(seq INTEGER PRIMARY KEY, headers TEXT NOT NULL, raw BLOB NOT NULL) STRICT;
CREATE TABLE signals(
    id INTEGER PRIMARY KEY, signal_id TEXT NOT NULL UNIQUE, tenant TEXT NOT NULL, source INTEGER NOT NULL,
    delivery INTEGER NOT NULL, at INTEGER NOT NULL, semantic_key BLOB NOT NULL, repeat_count INTEGER NOT NULL,
    last_seen INTEGER NOT NULL, status TEXT NOT NULL, severity TEXT NOT NULL, orb_id TEXT, provider TEXT,
    json TEXT NOT NULL, UNIQUE (source, semantic_key)
  ) STRICT;
CREATE INDEX signals_newest ON signals(tenant, at, id, source, status, orb_id);
CREATE INDEX signals_of_source ON signals(source, delivery);
CREATE TABLE signal_states(
    id INTEGER PRIMARY KEY, source INTEGER NOT NULL, fingerprint TEXT NOT NULL, updated_at INTEGER NOT NULL,
    json TEXT NOT NULL, UNIQUE (source, fingerprint)
  ) STRICT;
CREATE INDEX signal_states_updated ON signal_states(source, updated_at);
CREATE TABLE incidents(
    id INTEGER PRIMARY KEY, incident_id TEXT NOT NULL UNIQUE, tenant TEXT NOT NULL, group_key TEXT NOT NULL,
    status TEXT NOT NULL, severity TEXT NOT NULL, orb_id TEXT, provider TEXT, opened_at INTEGER NOT NULL,
    ended_at INTEGER, due_at INTEGER, on_status_page INTEGER NOT NULL, revision INTEGER NOT NULL, log_index INTEGER,
    json TEXT NOT NULL
  ) STRICT;
CREATE INDEX incidents_newest ON incidents(tenant, opened_at, id, status, orb_id, provider);
CREATE INDEX incidents_of_provider ON incidents(tenant, provider, opened_at, id, status, orb_id)
    WHERE provider IS NOT NULL;
CREATE INDEX incidents_of_group ON incidents(tenant, group_key);
CREATE INDEX incidents_due ON incidents(due_at) WHERE due_at IS NOT NULL;
CREATE INDEX incidents_open ON incidents(tenant, orb_id, severity) WHERE ended_at IS NULL;
CREATE INDEX incidents_on_status_page ON incidents(ended_at) WHERE on_status_page = 1;
CREATE TABLE incident_updates(
    incident INTEGER NOT NULL, position INTEGER NOT NULL, at INTEGER NOT NULL, by TEXT NOT NULL, json TEXT NOT NULL,
    PRIMARY KEY (incident, position)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE status_intervals(
    service TEXT NOT NULL, from_ms INTEGER NOT NULL, to_ms INTEGER NOT NULL, state TEXT NOT NULL,
    announced INTEGER NOT NULL, PRIMARY KEY (service, from_ms)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE status_maintenance(
    id TEXT PRIMARY KEY, from_ms INTEGER NOT NULL, to_ms INTEGER NOT NULL, services TEXT NOT NULL, title TEXT NOT NULL,
    announced_ms INTEGER NOT NULL, by TEXT NOT NULL, cancelled_ms INTEGER
  ) STRICT, WITHOUT ROWID;
CREATE INDEX status_maintenance_end ON status_maintenance(to_ms);
CREATE TABLE tenant_usage(
    tenant TEXT PRIMARY KEY, row_count INTEGER NOT NULL, bytes INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
CREATE TRIGGER swap_receipts_usage_added AFTER INSERT ON swap_receipts BEGIN
    INSERT INTO tenant_usage(tenant, row_count, bytes) VALUES (NEW.tenant, 1, 1000 + coalesce(octet_length(NEW.payload), 0) + coalesce(octet_length(NEW.signature), 0))
      ON CONFLICT DO UPDATE SET row_count = row_count + 1, bytes = bytes + excluded.bytes;
  END;
CREATE TRIGGER swap_receipts_usage_removed AFTER DELETE ON swap_receipts BEGIN
    UPDATE tenant_usage SET row_count = row_count - 1, bytes = bytes - (1000 + coalesce(octet_length(OLD.payload), 0) + coalesce(octet_length(OLD.signature), 0)) WHERE tenant = OLD.tenant;
  END;
CREATE TRIGGER idempotency_usage_added AFTER INSERT ON idempotency BEGIN
    INSERT INTO tenant_usage(tenant, row_count, bytes) VALUES (NEW.tenant, 1, 350 + coalesce(octet_length(NEW.answer), 0))
      ON CONFLICT DO UPDATE SET row_count = row_count + 1, bytes = bytes + excluded.bytes;
  END;
CREATE TRIGGER idempotency_usage_removed AFTER DELETE ON idempotency BEGIN
    UPDATE tenant_usage SET row_count = row_count - 1, bytes = bytes - (350 + coalesce(octet_length(OLD.answer), 0)) WHERE tenant = OLD.tenant;
  END;
CREATE TRIGGER idempotency_usage_changed AFTER UPDATE OF answer ON idempotency BEGIN
    UPDATE tenant_usage SET bytes = bytes + (350 + coalesce(octet_length(NEW.answer), 0)) - (350 + coalesce(octet_length(OLD.answer), 0)) WHERE tenant = NEW.tenant;
  END;
CREATE TRIGGER policy_decisions_usage_added AFTER INSERT ON policy_decisions BEGIN
    INSERT INTO tenant_usage(tenant, row_count, bytes) VALUES (NEW.tenant, 1, 400 + coalesce(octet_length(NEW.record), 0) + coalesce(octet_length(NEW.response), 0))
      ON CONFLICT DO UPDATE SET row_count = row_count + 1, bytes = bytes + excluded.bytes;
  END;
CREATE TRIGGER policy_decisions_usage_removed AFTER DELETE ON policy_decisions BEGIN
    UPDATE tenant_usage SET row_count = row_count - 1, bytes = bytes - (400 + coalesce(octet_length(OLD.record), 0) + coalesce(octet_length(OLD.response), 0)) WHERE tenant = OLD.tenant;
  END;
CREATE TRIGGER policy_decisions_usage_changed AFTER UPDATE OF record, response ON policy_decisions BEGIN
    UPDATE tenant_usage SET bytes = bytes + (400 + coalesce(octet_length(NEW.record), 0) + coalesce(octet_length(NEW.response), 0)) - (400 + coalesce(octet_length(OLD.record), 0) + coalesce(octet_length(OLD.response), 0)) WHERE tenant = NEW.tenant;
  END;
CREATE TRIGGER deliveries_usage_added AFTER INSERT ON deliveries BEGIN
    INSERT INTO tenant_usage(tenant, row_count, bytes) VALUES (NEW.tenant, 1, 300 + NEW.bytes * NEW.has_body)
      ON CONFLICT DO UPDATE SET row_count = row_count + 1, bytes = bytes + excluded.bytes;
  END;
CREATE TRIGGER deliveries_usage_removed AFTER DELETE ON deliveries BEGIN
    UPDATE tenant_usage SET row_count = row_count - 1, bytes = bytes - (300 + OLD.bytes * OLD.has_body) WHERE tenant = OLD.tenant;
  END;
CREATE TRIGGER deliveries_usage_changed AFTER UPDATE OF has_body ON deliveries BEGIN
    UPDATE tenant_usage SET bytes = bytes + (300 + NEW.bytes * NEW.has_body) - (300 + OLD.bytes * OLD.has_body) WHERE tenant = NEW.tenant;
  END;
CREATE TRIGGER signals_usage_added AFTER INSERT ON signals BEGIN
    INSERT INTO tenant_usage(tenant, row_count, bytes) VALUES (NEW.tenant, 1, 300 + coalesce(octet_length(NEW.json), 0))
      ON CONFLICT DO UPDATE SET row_count = row_count + 1, bytes = bytes + excluded.bytes;
  END;
CREATE TRIGGER signals_usage_removed AFTER DELETE ON signals BEGIN
    UPDATE tenant_usage SET row_count = row_count - 1, bytes = bytes - (300 + coalesce(octet_length(OLD.json), 0)) WHERE tenant = OLD.tenant;
  END;
CREATE TRIGGER incidents_usage_added AFTER INSERT ON incidents BEGIN
    INSERT INTO tenant_usage(tenant, row_count, bytes) VALUES (NEW.tenant, 1, 400 + coalesce(octet_length(NEW.json), 0))
      ON CONFLICT DO UPDATE SET row_count = row_count + 1, bytes = bytes + excluded.bytes;
  END;
CREATE TRIGGER incidents_usage_removed AFTER DELETE ON incidents BEGIN
    UPDATE tenant_usage SET row_count = row_count - 1, bytes = bytes - (400 + coalesce(octet_length(OLD.json), 0)) WHERE tenant = OLD.tenant;
  END;
CREATE TRIGGER incidents_usage_changed AFTER UPDATE OF json ON incidents BEGIN
    UPDATE tenant_usage SET bytes = bytes + (400 + coalesce(octet_length(NEW.json), 0)) - (400 + coalesce(octet_length(OLD.json), 0)) WHERE tenant = NEW.tenant;
  END;
CREATE TABLE runs(
    run_id TEXT PRIMARY KEY, tenant TEXT NOT NULL, started_at INTEGER NOT NULL, deadline_at INTEGER NOT NULL,
    owner TEXT NOT NULL, seed TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
