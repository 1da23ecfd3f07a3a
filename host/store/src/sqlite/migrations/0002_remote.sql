-- Workflows of remote workers: why one of their instances is held, in the protocol's number, and the names they have had.
-- A name stays when its instances are gone: who calls it while no worker is connected waits for one.
ALTER TABLE instance ADD COLUMN stalled_reason INTEGER;
CREATE TABLE remote_workflow (
    name TEXT PRIMARY KEY NOT NULL
) STRICT, WITHOUT ROWID;
