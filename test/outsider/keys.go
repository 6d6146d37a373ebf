package main

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

type jwk struct {
	Crv string `json:"crv"`
	Kty string `json:"kty"`
	X   string `json:"x"`
}

// keysDocument has the members that a reader of the log needs.
type keysDocument struct {
	Issuer    string `json:"issuer"`
	LogOrigin string `json:"log_origin"`
	Keys      []struct {
		Kid    string `json:"kid"`
		JWK    jwk    `json:"jwk"`
		Role   string `json:"role"`
		Status string `json:"status"`
	} `json:"keys"`
}

// decode reads base64url without padding. Go's decoder skips line ends, so the text must also encode to itself.
func decode(text string) ([]byte, error) {
	bytes, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil && base64.RawURLEncoding.EncodeToString(bytes) != text {
		err = errors.New("not strict base64url")
	}
	return bytes, err
}

func (key jwk) public() (ed25519.PublicKey, error) {
	bytes, err := decode(key.X)
	if err != nil || key.Crv != "Ed25519" || key.Kty != "OKP" || len(bytes) != ed25519.PublicKeySize {
		return nil, errors.New("not an Ed25519 key")
	}
	return bytes, nil
}

// thumbprint is the key id of RFC 7638.
func (key jwk) thumbprint() string {
	text := fmt.Sprintf(`{"crv":%q,"kty":%q,"x":%q}`, key.Crv, key.Kty, key.X)
	sum := sha256.Sum256([]byte(text))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// openKeys checks the signature of the root over the keys document.
func openKeys(answer []byte, rootText string) (*keysDocument, error) {
	var root jwk
	var signed struct {
		JWS string `json:"jws"`
	}
	if err := json.Unmarshal([]byte(rootText), &root); err != nil {
		return nil, fmt.Errorf("root key: %w", err)
	}
	rootKey, err := root.public()
	if err != nil {
		return nil, fmt.Errorf("root key: %w", err)
	}
	if err := json.Unmarshal(answer, &signed); err != nil {
		return nil, fmt.Errorf("keys document: %w", err)
	}
	parts := strings.Split(signed.JWS, ".")
	if len(parts) != 3 {
		return nil, errors.New("keys document: not a compact JWS")
	}
	header, err1 := decode(parts[0])
	payload, err2 := decode(parts[1])
	signature, err3 := decode(parts[2])
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, fmt.Errorf("keys document: %w", err)
	}
	if string(header) != fmt.Sprintf(`{"alg":"Ed25519","kid":%q,"typ":"orb-keys+jws"}`, root.thumbprint()) {
		return nil, fmt.Errorf("keys document: the header names another root, algorithm or type: %s", header)
	}
	if !ed25519.Verify(rootKey, []byte(parts[0]+"."+parts[1]), signature) {
		return nil, errors.New("keys document: the signature of the root is wrong")
	}
	var document keysDocument
	if err := json.Unmarshal(payload, &document); err != nil {
		return nil, fmt.Errorf("keys document: %w", err)
	}
	for _, key := range document.Keys {
		if key.Kid != key.JWK.thumbprint() {
			return nil, fmt.Errorf("keys document: %s is not the thumbprint of its key", key.Kid)
		}
	}
	if "https://"+document.LogOrigin != document.Issuer+"/log" {
		return nil, fmt.Errorf("keys document: the log %s is not that of %s", document.LogOrigin, document.Issuer)
	}
	return &document, nil
}

// logKeys are the keys that may sign a checkpoint.
func (document *keysDocument) logKeys() (note.Verifiers, error) {
	var verifiers []note.Verifier
	for _, key := range document.Keys {
		if key.Role != "log" || key.Status == "revoked" {
			continue
		}
		public, err := key.JWK.public()
		if err != nil {
			return nil, err
		}
		text, err := note.NewEd25519VerifierKey(document.LogOrigin, public)
		if err != nil {
			return nil, err
		}
		verifier, err := note.NewVerifier(text)
		if err != nil {
			return nil, err
		}
		verifiers = append(verifiers, verifier)
	}
	return note.VerifierList(verifiers...), nil
}
