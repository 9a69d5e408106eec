// Verifies chains as Go's TLS client does. Reads a line of JSON for each, and writes a line: an empty string, or why it is refused.
package main

import (
	"bufio"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"os"
)

type chain struct{ Chain, Roots, Host string }

func certificates(file string) (list []*x509.Certificate, err error) {
	text, err := os.ReadFile(file)
	for err == nil {
		var block *pem.Block
		if block, text = pem.Decode(text); block == nil {
			break
		}
		if block.Type != "CERTIFICATE" {
			continue
		}
		var certificate *x509.Certificate
		if certificate, err = x509.ParseCertificate(block.Bytes); err == nil {
			list = append(list, certificate)
		}
	}
	return
}

func verify(given chain) error {
	sent, err := certificates(given.Chain)
	if err != nil {
		return err
	}
	roots, err := certificates(given.Roots)
	if err != nil {
		return fmt.Errorf("root: %w", err)
	}
	options := x509.VerifyOptions{DNSName: given.Host, Roots: x509.NewCertPool(), Intermediates: x509.NewCertPool()}
	for _, certificate := range roots {
		options.Roots.AddCert(certificate)
	}
	for _, certificate := range sent[1:] {
		options.Intermediates.AddCert(certificate)
	}
	_, err = sent[0].Verify(options)
	return err
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var given chain
		if err := json.Unmarshal(lines.Bytes(), &given); err != nil {
			panic(err)
		}
		reason := ""
		if err := verify(given); err != nil {
			reason = err.Error()
		}
		line, _ := json.Marshal(reason)
		fmt.Println(string(line))
	}
}
