package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// Height of the tiles: 256 hashes.
const tileHeight = 8

// Longest answer that is read: a bundle of 256 entries of 65535 bytes.
const maxBytes = 256 * (65535 + 2)

var client = &http.Client{Timeout: 60 * time.Second}

var errNotFound = errors.New("not found")

// verifiedLog holds every entry below a signed checkpoint.
type verifiedLog struct {
	entries [][]byte
	// Hashes in the order of tlog.StoredHashIndex.
	hashes []tlog.Hash
}

func (log *verifiedLog) size() int64 { return int64(len(log.entries)) }

// ReadHashes makes the log a tlog.HashReader.
func (log *verifiedLog) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	found := make([]tlog.Hash, len(indexes))
	for i, index := range indexes {
		if index < 0 || index >= int64(len(log.hashes)) {
			return nil, fmt.Errorf("no hash %d", index)
		}
		found[i] = log.hashes[index]
	}
	return found, nil
}

// rootAt is the root of the first entries.
func (log *verifiedLog) rootAt(size int64) (tlog.Hash, error) { return tlog.TreeHash(size, log) }

// get reads a public route, without a key.
func get(base, path string) ([]byte, error) {
	answer, err := client.Get(strings.TrimSuffix(base, "/") + path)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if answer.StatusCode == http.StatusNotFound {
		return nil, fmt.Errorf("%s: %w", path, errNotFound)
	}
	if answer.StatusCode != http.StatusOK || len(body) > maxBytes {
		return nil, fmt.Errorf("%s: status %d, %d bytes", path, answer.StatusCode, len(body))
	}
	return body, nil
}

// pathOf is the C2SP path of a tile: without the height, and `entries` in place of `data`.
func pathOf(tile tlog.Tile) string {
	path := strings.TrimPrefix(tile.Path(), fmt.Sprintf("tile/%d/", tileHeight))
	return "/log/tile/" + strings.Replace(path, "data/", "entries/", 1)
}

// readTile reads a tile. A partial one may be gone once the full one is there.
func readTile(base string, tile tlog.Tile) ([]byte, error) {
	body, err := get(base, pathOf(tile))
	full := tile
	full.W = 1 << tileHeight
	if errors.Is(err, errNotFound) && tile.W != full.W {
		return get(base, pathOf(full))
	}
	return body, err
}

// openCheckpoint returns the size and the root that the log has signed.
func openCheckpoint(text []byte, document *keysDocument) (size int64, root tlog.Hash, err error) {
	keys, err := document.logKeys()
	if err != nil {
		return 0, root, err
	}
	opened, err := note.Open(text, keys)
	if err != nil {
		return 0, root, fmt.Errorf("checkpoint: %w", err)
	}
	lines := strings.Split(opened.Text, "\n")
	if len(lines) < 4 || lines[0] != document.LogOrigin {
		return 0, root, errors.New("checkpoint: not of the log in the keys document")
	}
	size, err = strconv.ParseInt(lines[1], 10, 64)
	if err != nil || size < 0 || strconv.FormatInt(size, 10) != lines[1] {
		return 0, root, fmt.Errorf("checkpoint: %q is no size", lines[1])
	}
	hash, err := base64.StdEncoding.DecodeString(lines[2])
	if err != nil || len(hash) != tlog.HashSize || base64.StdEncoding.EncodeToString(hash) != lines[2] {
		return 0, root, fmt.Errorf("checkpoint: %q is no root", lines[2])
	}
	copy(root[:], hash)
	return size, root, nil
}

// split reads the entries of a bundle: two bytes of length before each.
func split(bundle []byte, wanted int) ([][]byte, error) {
	var entries [][]byte
	for len(entries) < wanted {
		if len(bundle) < 2 {
			return nil, errors.New("the bundle is too short")
		}
		length := int(binary.BigEndian.Uint16(bundle))
		if len(bundle) < 2+length {
			return nil, errors.New("an entry is too short")
		}
		entries = append(entries, bundle[2:2+length])
		bundle = bundle[2+length:]
	}
	return entries, nil
}

func (log *verifiedLog) add(entry []byte) error {
	hashes, err := tlog.StoredHashes(log.size(), entry, log)
	if err != nil {
		return err
	}
	log.entries = append(log.entries, entry)
	log.hashes = append(log.hashes, hashes...)
	return nil
}

func (log *verifiedLog) readEntries(base string, size int64) error {
	for log.size() < size {
		number := log.size() >> tileHeight
		width := int(min(size-log.size(), 1<<tileHeight))
		tile := tlog.Tile{H: tileHeight, L: -1, N: number, W: width}
		bundle, err := readTile(base, tile)
		if err != nil {
			return err
		}
		entries, err := split(bundle, width)
		if err != nil {
			return fmt.Errorf("%s: %w", pathOf(tile), err)
		}
		for _, entry := range entries {
			if err := log.add(entry); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkTiles compares every tile of hashes with the entries.
func (log *verifiedLog) checkTiles(base string) error {
	for _, tile := range tlog.NewTiles(tileHeight, 0, log.size()) {
		found, err := readTile(base, tile)
		if err != nil {
			return err
		}
		wanted, err := tlog.ReadTileData(tile, log)
		if err != nil {
			return err
		}
		if len(found) < len(wanted) || !bytes.Equal(found[:len(wanted)], wanted) {
			return fmt.Errorf("%s: a hash is not that of the entries below it", pathOf(tile))
		}
	}
	return nil
}

// readLog reads the whole log, and verifies all of it: keys, checkpoint, entries, tiles.
func readLog(base, rootKey string) (*verifiedLog, error) {
	keys, err := get(base, "/.well-known/orb-keys.json")
	if err != nil {
		return nil, err
	}
	document, err := openKeys(keys, rootKey)
	if err != nil {
		return nil, err
	}
	checkpoint, err := get(base, "/log/checkpoint")
	if err != nil {
		return nil, err
	}
	size, root, err := openCheckpoint(checkpoint, document)
	if err != nil {
		return nil, err
	}
	log := &verifiedLog{}
	if err := log.readEntries(base, size); err != nil {
		return nil, err
	}
	found, err := log.rootAt(size)
	if err != nil {
		return nil, err
	}
	if found != root {
		return nil, fmt.Errorf("the root of the entries is %v, the checkpoint has %v", found, root)
	}
	return log, log.checkTiles(base)
}
