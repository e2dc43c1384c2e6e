package broker

import (
	"context"
	"fmt"
	"strings"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/scoterdb/scoter/internal/base"
)

// Security configures a broker that accepts only authenticated clients.
type Security struct {
	// Keystore is a PEM file with the broker's private key (PKCS #8) and its certificates.
	Keystore string
	// Truststore is a PEM file with the certificates of the authorities that sign client
	// certificates.
	Truststore string
	Users      map[string]string // passwords by user name, for SASL with PLAIN and SCRAM
}

// extend adds two listeners to the settings of a broker, at the addresses tls and sasl, and returns
// the settings.
func (s *Security) extend(settings, tls, sasl string) string {
	settings = strings.Replace(settings, ",CONTROLLER://", fmt.Sprintf(",TLS://%s,SASL://%s,CONTROLLER://", tls, sasl), 1)
	settings = strings.Replace(settings, "CONTROLLER:PLAINTEXT", "CONTROLLER:PLAINTEXT,TLS:SSL,SASL:SASL_SSL", 1)
	const module = "org.apache.kafka.common.security."
	plain := module + "plain.PlainLoginModule required"
	for user, password := range s.Users {
		plain += fmt.Sprintf(" user_%s=%q", user, password)
	}
	for _, line := range []string{
		"inter.broker.listener.name=PLAINTEXT",
		"ssl.keystore.type=PEM", "ssl.keystore.location=" + s.Keystore,
		"ssl.truststore.type=PEM", "ssl.truststore.location=" + s.Truststore,
		"listener.name.tls.ssl.client.auth=required",
		"listener.name.sasl.sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512",
		"listener.name.sasl.plain.sasl.jaas.config=" + plain + ";",
		"listener.name.sasl.scram-sha-256.sasl.jaas.config=" + module + "scram.ScramLoginModule required;",
		"listener.name.sasl.scram-sha-512.sasl.jaas.config=" + module + "scram.ScramLoginModule required;",
	} {
		settings += line + "\n"
	}
	return settings
}

// addUsers creates users in Kafka for SASL with SCRAM. The values are passwords.
func (b *Broker) addUsers(ctx context.Context, users map[string]string) error {
	return b.admin(func(admin *kadm.Client) error {
		// Send one request for each mechanism, because Kafka allows a user only once in a request.
		for _, how := range []kadm.ScramMechanism{kadm.ScramSha256, kadm.ScramSha512} {
			var all []kadm.UpsertSCRAM
			for user, password := range users {
				all = append(all, kadm.UpsertSCRAM{User: user, Mechanism: how, Iterations: 4096, Password: password})
			}
			answers, err := admin.AlterUserSCRAMs(ctx, nil, all)
			if err == nil {
				err = answers.Error()
			}
			if err != nil {
				return base.Errorf(base.Unavailable, "users of Kafka: %w", err)
			}
		}
		return nil
	})
}
